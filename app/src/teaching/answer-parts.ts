import type { Schemas } from "learning-platform-client";

type Node = Schemas["CacheNode"];
type Key = Pick<NonNullable<Node["key"]>, "answer" | "misconceptions" | "skill">;

/** An answer's text with its question as the service stores it. Without one, the stored question stays. */
export const answerTextWithQuestionBlock = (text: string, question: Node["question"]): string =>
  question ? `${text}\n\n\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\`` : text;

export const isSameQuestion = (one: Node["question"], other: Node["question"]): boolean =>
  JSON.stringify(plainQuestion(one)) === JSON.stringify(plainQuestion(other));

const plainQuestion = (asked: Node["question"]) =>
  asked && [asked.questionId, asked.question, asked.options.map(({ id, text }) => [id, text])];

export const isSameAnswerKey = (one: Key, other: Key | null): boolean =>
  other !== null && JSON.stringify(plainKey(one)) === JSON.stringify(plainKey(other));

/** Misconceptions in any order are the same. */
const plainKey = ({ answer, misconceptions, skill }: Key) => [
  answer,
  skill,
  misconceptions.map(({ id, text }) => [id, text]).sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)),
];
