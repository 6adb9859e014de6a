import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLastQuestion } from "../../../../lib/tutor/dialogue/answer-reader.ts";
import { isAnswerOffered, treeAnswersByLearnerForm } from "../../../../lib/tutor/dialogue/choices.ts";
import { classifyLearnerMessage } from "../../../../lib/tutor/dialogue/message-kind.ts";
import type { Question } from "../../../../schema/question.ts";

const question: Question = {
  questionId: "q1",
  question: "Which way does a carry go?",
  options: [
    { id: "A", text: "To the left" },
    { id: "B", text: "To the right" },
  ],
};

const fenced = (block: unknown): string =>
  `\`\`\`mcq\n${typeof block === "string" ? block : JSON.stringify(block)}\n\`\`\``;

/** The name of a message's choice. Undefined if the question does not offer it. */
const chosen = (asked: Question, said: object): string | undefined => {
  const message = classifyLearnerMessage(JSON.stringify(said));
  const normalForm =
    message.kind === "free" ? undefined : treeAnswersByLearnerForm(asked)[message.normalForm];
  return normalForm && JSON.parse(normalForm).answer;
};

describe("the possible answers to a question", () => {
  it.each([
    [{ questionId: "q1", answer: "A" }, "A"],
    [{ questionId: " q1 ", answer: "\tA\n" }, "A"],
    [{ questionId: "q1", answer: "To the right" }, "B"],
    [{ questionId: "q1", answer: " To the right " }, "B"],
    [{ questionId: "q1", answer: "to the right" }, undefined],
    [{ questionId: "q1", answer: "C" }, undefined],
    [{ questionId: "q2", answer: "A" }, undefined],
    [{ questionId: "q1", answer: ["A"] }, undefined],
    [{ questionId: "q1", answer: null }, undefined],
    [{ questionId: "q1", answer: "__proto__" }, undefined],
  ])("%j is %s", (said, id) => {
    expect(chosen(question, said)).toBe(id);
  });

  it("an id wins over another option's text", () => {
    const crossed = {
      ...question,
      options: [
        { id: "A", text: "B" },
        { id: "B", text: "A" },
      ],
    };
    expect(chosen(crossed, { questionId: "q1", answer: "A" })).toBe("A");
    expect(chosen(crossed, { questionId: "q1", answer: "B" })).toBe("B");
  });

  it("ids that the model wrote as numbers may be sent as numbers or as text", () => {
    const numbered = {
      questionId: "7",
      question: "How many?",
      options: [
        { id: "1", text: "one" },
        { id: "2", text: "two" },
      ],
    };
    for (const questionId of [7, "7"])
      for (const answer of [2, "2", "two"]) expect(chosen(numbered, { questionId, answer })).toBe("2");
    expect(chosen(numbered, { questionId: 7, answer: 3 })).toBeUndefined();
  });

  it("the two ways in which Unicode writes a letter are one answer", () => {
    const accented = findLastQuestion(
      fenced({
        ...question,
        options: [
          { id: "e\u0301", text: "Cafe\u0301" },
          { id: "B", text: "Thé" },
        ],
      }),
    );
    for (const answer of ["é", "e\u0301", "Café", "Cafe\u0301"])
      expect(accented && chosen(accented, { questionId: "q1", answer })).toBe("é");
  });

  it("every option of every question is reached by its id, and nothing else leads anywhere but to an option", () => {
    const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== "");
    const options = fc.uniqueArray(fc.record({ id: word, text: word }), {
      minLength: 2,
      maxLength: 6,
      selector: ({ id }) => id.trim().normalize("NFC"),
    });
    fc.assert(
      fc.property(word, options, fc.jsonValue(), (questionId, offered, guess) => {
        const asked = findLastQuestion(fenced({ questionId, question: "Which?", options: offered }));
        if (!asked) return;
        for (const { id } of asked.options) expect(chosen(asked, { questionId, answer: id })).toBe(id);
        const reached = chosen(asked, { questionId, answer: guess });
        expect([undefined, ...asked.options.map(({ id }) => id)]).toContain(reached);
      }),
    );
  });
});

describe("an answer is offered by one of the asked questions", () => {
  const offers = (said: object, ...asked: Question[]) => {
    const message = classifyLearnerMessage(JSON.stringify(said));
    return message.kind === "answer" && isAnswerOffered(message, asked);
  };
  const twins: Question = {
    questionId: "q2",
    question: "Which power?",
    options: [
      { id: "a", text: "x²" },
      { id: "b", text: "x2" },
      { id: "c", text: "Straße" },
    ],
  };

  it.each([
    ["as it is", { questionId: "q1", answer: "A" }, true],
    ["without case", { questionId: "Q1", answer: "to the LEFT" }, true],
    ["in a compatible form, with invisible characters", { questionId: "q1", answer: "\u200bＢ\u00a0" }, true],
    ["with case folded", { questionId: "q2", answer: "STRASSE" }, true],
    ["of another question", { questionId: "q2", answer: "A" }, true],
    ["by one of two with the same loose form", { questionId: "q2", answer: "x²" }, true],
    ["by neither of two", { questionId: "q2", answer: "X2" }, false],
    ["by none", { questionId: "q1", answer: "C" }, false],
    ["by a question that was not asked", { questionId: "q3", answer: "A" }, false],
  ])("%s", (_, said, is) => {
    expect(offers(said, question, twins)).toBe(is);
  });

  it("by none without a question", () => {
    expect(offers({ questionId: "q1", answer: "A" })).toBe(false);
  });
});
