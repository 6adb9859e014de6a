import type { AnswerSecrets, Check } from "./checked-answer.ts";
import { findQuotedSecretWords } from "./notes-not-told.ts";
import { normalizedWords, removeQuestionBlocks } from "./words.ts";

/** An answer of this many words cannot occur by chance. */
const tellingWords = 3;

/** The answer must reveal no correct answer or explanation of the known quiz questions. */
export const checkPoolAnswersNotRevealed: Check = ({ text }, { secrets }) => {
  const keyed = secrets?.pool.filter(({ answer, explanation }) => answer || explanation) ?? [];
  if (!secrets || keyed.length === 0) return undefined;
  const prose = removeQuestionBlocks(text);
  // A key's wording in the tutor's prompt.
  if (/(?:^|[\s*_|-])Right:\s*\S/m.test(prose))
    return "The answer quotes a key of the quiz as the tutor received it";
  const spoken = ` ${normalizedWords(prose).join(" ")} `;
  const told = keyed.find((one) => rightOf(one).some((words) => isToldAlone(words, one, spoken)));
  if (told) return `The answer reveals the right answer to “${told.question.slice(0, 80)}”`;
  const reason = findQuotedSecretWords(
    keyed.flatMap(({ explanation }) => explanation ?? []),
    prose,
    secrets.open,
  );
  return reason === undefined ? null : `The answer reveals why an answer of the quiz is right: “${reason}”`;
};

type PoolQuestion = AnswerSecrets["pool"][number];

function rightOf({ options = [], answer }: PoolQuestion): string[] {
  const ids = [answer?.option_id, ...(answer?.option_ids ?? [])];
  const texts = [
    ...options.filter(({ id }) => ids.includes(id)).map(({ text }) => text),
    ...(answer?.texts ?? []),
  ];
  return texts
    .map((text) => normalizedWords(text))
    .flatMap((words) => (words.length < tellingWords ? [] : [words.join(" ")]));
}

/** The answer occurs without the question's other options. */
function isToldAlone(right: string, one: PoolQuestion, spoken: string): boolean {
  if (!spoken.includes(` ${right} `)) return false;
  const rights = rightOf(one);
  return !(one.options ?? []).some(({ text }) => {
    const words = normalizedWords(text).join(" ");
    return words !== "" && !rights.includes(words) && spoken.includes(` ${words} `);
  });
}
