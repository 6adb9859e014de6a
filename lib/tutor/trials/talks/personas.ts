import { type TrialPersona, trialPersonas } from "../../../../schema/enums.ts";
import type { Question, QuestionKey } from "../../../../schema/question.ts";
import { normalFormOfAnswer } from "../../dialogue/answer-normal-form.ts";
import { availableMoves, type Move } from "../../dialogue/moves.ts";

export const maxPersonaTurns = 6;

export type PersonaTurn = {
  question: Question | undefined;
  key: QuestionKey | undefined;
  /** Consecutive answers with this question, including this one. */
  times: number;
  turn: number;
};

/**
 * Each persona's next message; undefined ends the conversation. Rules instead of a model: both versions meet
 * the same learners, and only the tutor costs money.
 */
const rules: Readonly<Record<TrialPersona, (turn: PersonaTurn) => string | undefined>> = {
  sure: ({ question, key }) => question && pick(question, rightOf(question, key)),
  mistaken: ({ question, key, times }) =>
    question && pick(question, times > 1 ? rightOf(question, key) : wrongOf(question, key)),
  hint_seeking: ({ question, key, times }) =>
    question && ((times <= 2 && move(question, key, "@hint")) || pick(question, rightOf(question, key))),
  lost: ({ question, key, times }) =>
    question &&
    ((times === 1 && move(question, key, "@dont_know")) ||
      (times === 2 && move(question, key, "@simpler")) ||
      pick(question, wrongOf(question, key))),
  talkative: ({ turn }) => remarks[(turn - 1) % remarks.length],
};

/** Messages that ignore the options; they fit any topic. */
const remarks = [
  "Hm, I am not sure that I get this. Can you say it with an example from everyday life?",
  "But why is that so? Could it not be the other way round?",
  "I think that it is the last one, since it sounds the most sensible. Is that a good reason?",
  "We had something like this at school. Is it the same here?",
  "What would go wrong if one did it differently?",
];

export const nextPersonaMessage = (persona: TrialPersona, turn: PersonaTurn): string | undefined =>
  rules[persona](turn);

export const personaNames = trialPersonas;

const pick = ({ questionId }: Question, option: string | undefined): string | undefined =>
  option === undefined ? undefined : normalFormOfAnswer(questionId, option);

/** Without a key, the first option counts as correct. */
const rightOf = ({ options }: Question, key: QuestionKey | undefined): string | undefined =>
  key?.answer ?? options[0]?.id;

const wrongOf = (question: Question, key: QuestionKey | undefined): string | undefined =>
  question.options.find(({ id }) => id !== rightOf(question, key))?.id ?? rightOf(question, key);

const move = (question: Question, key: QuestionKey | undefined, named: Move): string | undefined =>
  key && availableMoves(question).includes(named) ? named : undefined;
