import { expect, it } from "vitest";
import { AnswerReader } from "../../../../lib/tutor/dialogue/answer-reader.ts";
import { formatQuestionBlock } from "../../../../lib/tutor/dialogue/read-question.ts";
import { asked } from "./model-blocks.ts";
import { ordinaryAnswers } from "./ordinary-answers.ts";

const sentOf = (parts: readonly string[]) => {
  const reader = new AnswerReader();
  return [...parts.flatMap((part) => reader.take(part)), ...reader.end()].join("");
};

it.each(ordinaryAnswers)("an ordinary answer is sent as it is, however it is cut: %j", (answer) => {
  for (const stream of [answer, `Well.\n\n${answer}\n\n${formatQuestionBlock(asked)}`]) {
    expect(sentOf([stream])).toBe(stream);
    expect(sentOf([...stream])).toBe(stream);
    expect(sentOf(stream.match(/[\s\S]{1,7}/g) ?? [])).toBe(stream);
  }
});
