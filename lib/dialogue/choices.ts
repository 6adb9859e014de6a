import type { Question } from "../../schema/question.ts";
import type { MessageKind } from "./message-kind.ts";
import { moveChoices } from "./moves.ts";
import { looseAnswer, spokenAnswer } from "./spoken-answer.ts";

/**
 * Maps what a learner may answer to a question to what the tree knows. The keys are the normal forms of each option's
 * id and text, and each loose form that fits one option alone. The value is the normal form of the id, under which the
 * tree keeps what follows. An id wins over another option's text. With a key there are moves among them, each under its
 * own name.
 */
export function choicesOf(
  { questionId, question, options }: Question,
  { hasKey }: { hasKey: boolean } = { hasKey: false },
): Record<string, string> {
  const choices = (answers: readonly unknown[], id: string) =>
    spellings(questionId).flatMap((question) =>
      answers.map((answer) => [spokenAnswer(question, answer), spokenAnswer(questionId, id)]),
    );
  return Object.fromEntries([
    ...moveChoices({ questionId, question, options }, hasKey),
    ...looseChoices({ questionId, options }),
    ...options.flatMap(({ id, text }) => choices([text], id)),
    ...options.flatMap(({ id }) => choices(spellings(id), id)),
  ]);
}

/** What a message that is called like a move is to the question that it follows: a move's name, the answer of an option, or nothing. */
export function meantBy(
  { normalForm, looseForm }: Extract<MessageKind, { kind: "move" }>,
  question: Question | undefined,
  offers: { hasKey: boolean },
): string | undefined {
  const choices = new Map(Object.entries(question ? choicesOf(question, offers) : {}));
  return choices.get(normalForm) ?? choices.get(looseForm ?? "");
}

/** Whether one of the questions offers an answer, as it is said or as it is compared where none fits. */
export function isOffered(
  { normalForm, looseForm }: Extract<MessageKind, { kind: "answer" }>,
  questions: readonly Question[],
): boolean {
  return questions.some((question) => {
    const choices = choicesOf(question);
    return (
      Object.hasOwn(choices, normalForm) || (looseForm !== undefined && Object.hasOwn(choices, looseForm))
    );
  });
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
