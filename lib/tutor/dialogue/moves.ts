import type { Question } from "../../../schema/question.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import { looseFormOfAnswer, looseText, normalFormOfAnswer } from "./answer-normal-form.ts";

/** Messages that a learner may choose instead of an option. Each leaves the question open. */
export const moveIds = ["@hint", "@dont_know", "@example", "@simpler", "@my_words"] as const;

export type Move = (typeof moveIds)[number];

export const isMove = (name: string): name is Move => moveIds.some((move) => move === name);

/** With blanks; longer messages skip the comparison. */
const maxMoveNameCharacters = 64;

/** The move's name in a text, compared like answers: `@` and lower-case letters. */
export function parseMoveName(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > maxMoveNameCharacters) return undefined;
  const name = looseText(text);
  return /^@[a-z]+(_[a-z]+)*$/.test(name) ? name : undefined;
}

/** All moves except those named like one of the options. */
export const availableMoves = memoize(({ options }: Question): Move[] => {
  const taken = new Set(options.flatMap(({ id, text }) => [parseMoveName(id), parseMoveName(text)]));
  return moveIds.filter((move) => !taken.has(move));
});

/** By name and as an answer. An option named like a move means the move if that is its only meaning. */
export function moveEntriesByLearnerForm(question: Question, hasKey: boolean): [string, string][] {
  const { questionId, options } = question;
  const called = options.flatMap(({ id, text }) =>
    [...new Set([parseMoveName(id), parseMoveName(text)])].flatMap((name) => (name ? [{ name, id }] : [])),
  );
  const byName = Map.groupBy(called, ({ name }) => name);
  return [
    ...[...byName].flatMap(([name, [one, ...others]]): [string, string][] =>
      one && others.length === 0 ? [[name, normalFormOfAnswer(questionId, one.id)]] : [],
    ),
    ...(hasKey ? availableMoves(question) : []).flatMap((move): [string, string][] => {
      const answered = looseFormOfAnswer(questionId, move);
      return [[move, move], ...(answered ? [[answered, move] as [string, string]] : [])];
    }),
  ];
}
