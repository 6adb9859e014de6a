import { type TrialPersona, trialPersonas } from "../../../schema/enums.ts";
import type { Question, QuestionKey } from "../../../schema/question.ts";
import { type Move, movesOf } from "../../dialogue/moves.ts";
import { spokenAnswer } from "../../dialogue/spoken-answer.ts";

/** The most answers that a talk asks for. */
export const mostTurns = 6;

/** What a simulated learner sees when it is their turn: the question that is put to them, and how often they have spoken of it. */
export type Turn = {
  question: Question | undefined;
  key: QuestionKey | undefined;
  /** How many answers in a row have put this question to them, this one included. */
  times: number;
  /** How many answers there were. */
  turn: number;
};

/**
 * What each of them says next; undefined where they have nothing to say, which ends the talk. They follow rules, and no model
 * plays them: two versions meet the same learners, and a talk costs what its tutor costs.
 */
const rules: Readonly<Record<TrialPersona, (turn: Turn) => string | undefined>> = {
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

/** What someone says who does not keep to the options; it fits each topic. */
const remarks = [
  "Hm, I am not sure that I get this. Can you say it with an example from everyday life?",
  "But why is that so? Could it not be the other way round?",
  "I think that it is the last one, since it sounds the most sensible. Is that a good reason?",
  "We had something like this at school. Is it the same here?",
  "What would go wrong if one did it differently?",
];

/** What that learner says next. Deterministic. */
export const nextMessage = (persona: TrialPersona, turn: Turn): string | undefined => rules[persona](turn);

export const personas = trialPersonas;

const pick = ({ questionId }: Question, option: string | undefined): string | undefined =>
  option === undefined ? undefined : spokenAnswer(questionId, option);

/** Without a key nobody knows: then the first one stands for the right one. */
const rightOf = ({ options }: Question, key: QuestionKey | undefined): string | undefined =>
  key?.answer ?? options[0]?.id;

const wrongOf = (question: Question, key: QuestionKey | undefined): string | undefined =>
  question.options.find(({ id }) => id !== rightOf(question, key))?.id ?? rightOf(question, key);

/** A move, where the question offers it. */
const move = (question: Question, key: QuestionKey | undefined, named: Move): string | undefined =>
  key && movesOf(question).includes(named) ? named : undefined;
