import type { Question } from "../../schema/question.ts";
import { looseAnswer, spokenAnswer } from "./spoken-answer.ts";

/** Which way of making choices a node's are of; those of another are made anew. */
export const choicesVersion = "2";

/**
 * What a learner may answer to a question: from the normal form of each answer, an option's id or its text, to the
 * normal form under which the tree keeps what follows, which is that of the id. An id wins over another option's text.
 * Beside them stands each loose form that fits one option alone.
 */
export function choicesOf({ questionId, options }: Question): Record<string, string> {
  const choices = (answers: readonly unknown[], id: string) =>
    spellings(questionId).flatMap((question) =>
      answers.map((answer) => [spokenAnswer(question, answer), spokenAnswer(questionId, id)]),
    );
  return Object.fromEntries([
    ["version", choicesVersion],
    ...looseChoices({ questionId, options }),
    ...options.flatMap(({ id, text }) => choices([text], id)),
    ...options.flatMap(({ id }) => choices(spellings(id), id)),
  ]);
}

function looseChoices({ questionId, options }: Pick<Question, "questionId" | "options">): [string, string][] {
  const fitting = new Map<string, Set<string>>();
  for (const { id, text } of options)
    for (const answer of [id, text]) {
      const form = looseAnswer(questionId, answer);
      if (form) fitting.set(form, (fitting.get(form) ?? new Set()).add(id));
    }
  return [...fitting].flatMap(([form, [id, ...others]]): [string, string][] =>
    id === undefined || others.length > 0 ? [] : [[form, spokenAnswer(questionId, id)]],
  );
}

/** An id, and one such as 2 also as a number: the model may have written it so, and a client may send it so. */
const spellings = (id: string): (string | number)[] =>
  String(Number(id)) === id && Number.isFinite(Number(id)) ? [id, Number(id)] : [id];
