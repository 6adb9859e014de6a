import type { Check, Secrets } from "./checked-answer.ts";
import { quotedOf } from "./notes-not-told.ts";
import { proseOf, wordsOf } from "./words.ts";

/** An answer of so many words does not stand in a text by chance. */
const tellingWords = 3;

/** Whether it tells no right answer of the quiz whose questions the tutor knows, nor why it is right. */
export const poolNotTold: Check = ({ text }, { secrets }) => {
  const keyed = secrets?.pool.filter(({ answer, explanation }) => answer || explanation) ?? [];
  if (!secrets || keyed.length === 0) return undefined;
  const prose = proseOf(text);
  // The words in which the tutor itself is told a key.
  if (/(?:^|[\s*_|-])Right:\s*\S/m.test(prose))
    return "The answer tells a key of the quiz as the tutor is told it";
  const spoken = ` ${wordsOf(prose).join(" ")} `;
  const told = keyed.find((one) => rightOf(one).some((words) => isToldAlone(words, one, spoken)));
  if (told) return `The answer tells what is right in “${told.question.slice(0, 80)}”`;
  const reason = quotedOf(
    keyed.flatMap(({ explanation }) => explanation ?? []),
    prose,
    secrets.open,
  );
  return reason === undefined ? null : `The answer tells why an answer of the quiz is right: “${reason}”`;
};

type PoolQuestion = Secrets["pool"][number];

/** The words of its right answers, as far as they can be told from others. */
function rightOf({ options = [], answer }: PoolQuestion): string[] {
  const ids = [answer?.option_id, ...(answer?.option_ids ?? [])];
  const texts = [
    ...options.filter(({ id }) => ids.includes(id)).map(({ text }) => text),
    ...(answer?.texts ?? []),
  ];
  return texts
    .map((text) => wordsOf(text))
    .flatMap((words) => (words.length < tellingWords ? [] : [words.join(" ")]));
}

/** Whether they are said, and none of the question's other options is. */
function isToldAlone(right: string, one: PoolQuestion, spoken: string): boolean {
  if (!spoken.includes(` ${right} `)) return false;
  const rights = rightOf(one);
  return !(one.options ?? []).some(({ text }) => {
    const words = wordsOf(text).join(" ");
    return words !== "" && !rights.includes(words) && spoken.includes(` ${words} `);
  });
}
