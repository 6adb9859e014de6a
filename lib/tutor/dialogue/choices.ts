import type { Question } from "../../../schema/question.ts";
import { looseFormOfAnswer, normalFormOfAnswer } from "./answer-normal-form.ts";
import type { MessageKind } from "./message-kind.ts";
import { moveEntriesByLearnerForm } from "./moves.ts";

/**
 * Maps a learner's possible answers to those of the tree. Keys are normal forms of each option's id and text,
 * and loose forms that fit one option only. Values are the tree's: normal forms of the id. An id takes
 * precedence over another option's text. Questions with a key also accept moves by name.
 */
export function treeAnswersByLearnerForm(
  { questionId, question, options }: Question,
  { hasKey }: { hasKey: boolean } = { hasKey: false },
): Record<string, string> {
  const choices = (answers: readonly unknown[], id: string) =>
    spellings(questionId).flatMap((question) =>
      answers.map((answer) => [normalFormOfAnswer(question, answer), normalFormOfAnswer(questionId, id)]),
    );
  return Object.fromEntries([
    ...moveEntriesByLearnerForm({ questionId, question, options }, hasKey),
    ...looseChoices({ questionId, options }),
    ...options.flatMap(({ id, text }) => choices([text], id)),
    ...options.flatMap(({ id }) => choices(spellings(id), id)),
  ]);
}

export function resolveMoveMessage(
  { normalForm, looseForm }: Extract<MessageKind, { kind: "move" }>,
  question: Question | undefined,
  offers: { hasKey: boolean },
): string | undefined {
  const choices = new Map(Object.entries(question ? treeAnswersByLearnerForm(question, offers) : {}));
  return choices.get(normalForm) ?? choices.get(looseForm ?? "");
}

/** Exactly or in its loose form. */
export function isAnswerOffered(
  { normalForm, looseForm }: Extract<MessageKind, { kind: "answer" }>,
  questions: readonly Question[],
): boolean {
  return questions.some((question) => {
    const choices = treeAnswersByLearnerForm(question);
    return (
      Object.hasOwn(choices, normalForm) || (looseForm !== undefined && Object.hasOwn(choices, looseForm))
    );
  });
}

function looseChoices({ questionId, options }: Pick<Question, "questionId" | "options">): [string, string][] {
  const fitting = new Map<string, Set<string>>();
  for (const { id, text } of options)
    for (const answer of [id, text]) {
      const form = looseFormOfAnswer(questionId, answer);
      if (form) fitting.set(form, (fitting.get(form) ?? new Set()).add(id));
    }
  return [...fitting].flatMap(([form, [id, ...others]]): [string, string][] =>
    id === undefined || others.length > 0 ? [] : [[form, normalFormOfAnswer(questionId, id)]],
  );
}

/** A numeric id also as a number: model or client may send either. */
const spellings = (id: string): (string | number)[] =>
  String(Number(id)) === id && Number.isFinite(Number(id)) ? [id, Number(id)] : [id];
