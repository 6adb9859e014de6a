import { describe, expect, it } from "vitest";
import {
  correctStreakAndMastery,
  estimateKnowledge,
  knowledgeAfterAnswer,
} from "../../../../lib/tutor/tutor-steps/knowledge-tracing.ts";
import { knowledgeParameters } from "../../../../lib/tutor/tutor-steps/settings.ts";

const [right, wrong] = [true, false];

/** The equations of Corbett and Anderson (1995). */
function published(known: number, isRight: boolean, t: number, g: number, s: number): number {
  const given = isRight
    ? (known * (1 - s)) / (known * (1 - s) + (1 - known) * g)
    : (known * s) / (known * s + (1 - known) * (1 - g));
  return given + (1 - given) * t;
}

describe("the estimate of knowledge", () => {
  it("follows the published equations", () => {
    const shares = [0, 0.05, 0.3, 0.5, 0.77, 0.95];
    for (const known of shares)
      for (const learn of shares)
        for (const isRight of [right, wrong]) {
          const parameters = { initial: 0.4, learn, guess: 0.2, slip: 0.1 };
          expect(knowledgeAfterAnswer(known, isRight, parameters)).toBeCloseTo(
            published(known, isRight, learn, 0.2, 0.1),
            12,
          );
        }
  });

  // Calculated by hand with p(L0) = 0.4, p(T) = 0.1, p(G) = 0.2 and p(S) = 0.3. After a wrong answer 0.4 ×
  // 0.3 / (0.4 × 0.3 + 0.6 × 0.8) = 0.2, and at the next question 0.2 + 0.8 × 0.1 = 0.28. After a right one
  // 0.196 / 0.34 and 0.618….
  it.each([
    [[], null],
    [[wrong], 7 / 25],
    [[right], 73 / 100],
    [[wrong, right], 0.618_823_529_4],
    [[wrong, right, right], 0.865_311_778_3],
    [[right, right], 0.913_982_300_9],
  ])("after %j is %d in the worked table", (answers, expected) => {
    const estimate = estimateKnowledge(answers, { initial: 0.4, learn: 0.1, guess: 0.2, slip: 0.3 });
    if (expected === null) expect(estimate).toBeNull();
    else expect(estimate).toBeCloseTo(expected, 9);
  });

  it("stays a probability for parameters of 0 and 1", () => {
    const certain = { initial: 1, learn: 0, guess: 0, slip: 0 };
    expect(estimateKnowledge([wrong, right], certain)).toBe(1);
    expect(estimateKnowledge([right], { ...certain, initial: 0 })).toBe(0);
  });

  it("passes 0.95 after three correct answers in a row, after any history, by the settings' defaults", () => {
    const defaults = knowledgeParameters({
      KNOWLEDGE_TRACING_INITIAL: 0.4,
      KNOWLEDGE_TRACING_LEARN: 0.1,
      KNOWLEDGE_TRACING_GUESS: 0.25,
      KNOWLEDGE_TRACING_SLIP: 0.1,
    });
    expect(estimateKnowledge([right, right], defaults)).toBeLessThan(0.95);
    expect(estimateKnowledge([right, right, right], defaults)).toBeGreaterThan(0.95);
  });
});

describe("consecutive correct answers", () => {
  it.each([
    [[], 0, false],
    [[right, right], 2, false],
    [[right, right, wrong, right], 1, false],
    [[right, right, right], 3, true],
    [[right, right, right, wrong], 0, true],
  ])("of %j is %d, and known: %s", (answers, in_a_row, known) => {
    expect(correctStreakAndMastery(answers)).toEqual({ in_a_row, known });
  });
});
