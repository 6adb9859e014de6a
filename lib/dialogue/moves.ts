import type { Question } from "../../schema/question.ts";
import { memoize } from "../caching/memoize.ts";
import { looseAnswer, looseText, spokenAnswer } from "./spoken-answer.ts";

/**
 * What a learner may say to a question in place of an option, and how the model is told it, in a learner's words. Each
 * leaves the right option to the learner, and the question as it stands.
 */
const requests = {
  "@hint":
    "Please give me one hint that brings me a step nearer to the answer, and further than the hints before it.",
  "@dont_know": "I do not know. Please explain the one step that I am missing, and leave the rest to me.",
  "@example":
    "Please show me a worked example like it: another case that takes the same idea, solved step by step.",
  "@simpler": "Please say the question and what it is about again, in simpler words.",
} as const;

export type Move = keyof typeof requests;

export const moveIds = Object.keys(requests) as readonly Move[];

const leavesTheAnswer =
  " Neither name nor quote the right option of your last question, and rule none out. Do not write its block again: the question " +
  "is put to me once more as it stands.";

/** Whether a name is that of a move. */
export const isMove = (name: string): name is Move => Object.hasOwn(requests, name);

/** What the model is told for a move: always the same, so that what it was told before is still there in its cache. */
export const moveRequest = (move: Move): string => requests[move] + leavesTheAnswer;

/** No name is longer, with the blanks around it; most messages are not looked at any further. */
const longestName = 64;

/** The name of a move that a text is, compared as answers are: `@` and small letters. Undefined for any other text. */
export function moveNamed(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > longestName) return undefined;
  const name = looseText(text);
  return /^@[a-z]+(_[a-z]+)*$/.test(name) ? name : undefined;
}

/** The moves that a question with a key offers: not those that one of its options is called. */
export const movesOf = memoize(({ options }: Question): Move[] => {
  const taken = new Set(options.flatMap(({ id, text }) => [moveNamed(id), moveNamed(text)]));
  return moveIds.filter((move) => !taken.has(move));
});

/**
 * The moves among a question's choices: by their names alone, and as an answer to the question. An option that is called
 * like a move is what its name means, where it alone is.
 */
export function moveChoices(question: Question, hasKey: boolean): [string, string][] {
  const { questionId, options } = question;
  const called = options.flatMap(({ id, text }) =>
    [...new Set([moveNamed(id), moveNamed(text)])].flatMap((name) => (name ? [{ name, id }] : [])),
  );
  const byName = Map.groupBy(called, ({ name }) => name);
  return [
    ...[...byName].flatMap(([name, [one, ...others]]): [string, string][] =>
      one && others.length === 0 ? [[name, spokenAnswer(questionId, one.id)]] : [],
    ),
    ...(hasKey ? movesOf(question) : []).flatMap((move): [string, string][] => {
      const answered = looseAnswer(questionId, move);
      return [[move, move], ...(answered ? [[answered, move] as [string, string]] : [])];
    }),
  ];
}
