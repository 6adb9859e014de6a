import { describe, expect, it } from "vitest";
import {
  answerTextWithQuestionBlock,
  isSameAnswerKey,
  isSameQuestion,
} from "../../../app/src/teaching/answer-parts.ts";

const question = { questionId: "q1", question: "Which?", options: [{ id: "A", text: "Left" }] };

describe("the parts of a stored answer", () => {
  it("are written with the question's block only if the question changed", () => {
    expect(answerTextWithQuestionBlock("Text.", null)).toBe("Text.");
    expect(answerTextWithQuestionBlock("Text.", question)).toBe(
      `Text.\n\n\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\``,
    );
  });

  it("compare questions by their ids and texts", () => {
    expect(isSameQuestion(question, { ...question })).toBe(true);
    expect(isSameQuestion(question, { ...question, question: "What?" })).toBe(false);
    expect(isSameQuestion(question, { ...question, options: [{ id: "A", text: "Right" }] })).toBe(false);
    expect(isSameQuestion(null, null)).toBe(true);
    expect(isSameQuestion(null, question)).toBe(false);
  });

  it("compare keys without the order of misconceptions", () => {
    const [one, other] = [
      { id: "B", text: "b" },
      { id: "C", text: "c" },
    ];
    const key = { answer: "A", misconceptions: [one, other], skill: null };
    expect(isSameAnswerKey(key, { ...key, misconceptions: [other, one] })).toBe(true);
    expect(isSameAnswerKey(key, { ...key, skill: "Shifts" })).toBe(false);
    expect(isSameAnswerKey(key, null)).toBe(false);
  });
});
