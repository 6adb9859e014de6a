/**
 * Bayesian knowledge tracing: Corbett, A. T., and Anderson, J. R. (1995), "Knowledge tracing: Modeling the
 * acquisition of procedural knowledge", User Modeling and User-Adapted Interaction 4, 253–278.
 */
export type KnowledgeParameters = {
  /** p(L0): the learner knows the skill before the first question. */
  initial: number;
  /** p(T): the learner learns it at a question. */
  learn: number;
  /** p(G): a correct answer without knowing it. */
  guess: number;
  /** p(S): a wrong answer despite knowing it. */
  slip: number;
};

export function knowledgeAfterAnswer(
  known: number,
  isRight: boolean,
  { learn, guess, slip }: KnowledgeParameters,
): number {
  const [ifKnown, ifNot] = isRight ? [1 - slip, guess] : [slip, 1 - guess];
  const evidence = known * ifKnown + (1 - known) * ifNot;
  const given = evidence === 0 ? known : (known * ifKnown) / evidence;
  return given + (1 - given) * learn;
}

/** From answers oldest first; null without any. */
export const estimateKnowledge = (
  answers: readonly boolean[],
  parameters: KnowledgeParameters,
): number | null =>
  answers.length === 0
    ? null
    : answers.reduce(
        (known, isRight) => knowledgeAfterAnswer(known, isRight, parameters),
        parameters.initial,
      );

/** The model then gives at least 0.95. */
export const masteryStreakLength = 3;

/** The correct answers at the end, and whether there were ever enough in a row. */
export function correctStreakAndMastery(answers: readonly boolean[]): { in_a_row: number; known: boolean } {
  let [in_a_row, longest] = [0, 0];
  for (const isRight of answers) {
    in_a_row = isRight ? in_a_row + 1 : 0;
    longest = Math.max(longest, in_a_row);
  }
  return { in_a_row, known: longest >= masteryStreakLength };
}
