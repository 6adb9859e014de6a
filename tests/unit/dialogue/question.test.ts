import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kindOf } from "../../../lib/dialogue/message-kind.ts";
import { choicesOf, questionIn } from "../../../lib/dialogue/question.ts";
import type { Question } from "../../../schema/question.ts";

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

/** The name of the choice that a message makes; undefined for what the question does not offer. */
const chosen = (asked: Question, said: object): string | undefined => {
  const message = kindOf(JSON.stringify(said));
  const normalForm = message.kind === "answer" ? choicesOf(asked)[message.normalForm] : undefined;
  return normalForm && JSON.parse(normalForm).answer;
};

describe("the question in an answer", () => {
  it.each([
    ["at its end", `Think of it.\n\n${fenced(question)}`],
    ["before other words", `${fenced(question)}\n\nTake your time.`],
    ["over many lines", fenced(JSON.stringify(question, null, 2))],
    ["with the line ends of Windows", fenced(JSON.stringify(question, null, 2)).replaceAll("\n", "\r\n")],
    ["indented by up to three spaces", fenced(question).replaceAll("```", "   ```")],
    ["with spaces after the fence", fenced(question).replaceAll("\n", "  \n")],
    ["beside a block of another kind", `\`\`\`js\n1\n\`\`\`\n${fenced(question)}\n\`\`\`json\n{}\n\`\`\``],
    ["after another one, as the last", `${fenced({ ...question, questionId: "q0" })}\n${fenced(question)}`],
    ["after a fence that was never closed again", `\`\`\`mcq\n\n\`\`\`\n${fenced(question)}`],
  ])("is found %s", (_, answer) => {
    expect(questionIn(answer)).toEqual(question);
  });

  it("is found in whatever an answer says around it", () => {
    const words = fc.string().filter((text) => !text.includes("```"));
    fc.assert(
      fc.property(words, words, (before, after) => {
        expect(questionIn(`${before}\n${fenced(question)}\n${after}`)).toEqual(question);
      }),
    );
  });

  it.each([
    ["no block", "Just words."],
    ["a block of another kind", fenced(question).replace("mcq", "json")],
    ["a fence inside a line", `Say ${fenced(question)}`],
    ["a block that is not closed", fenced(question).slice(0, -4)],
    ["no JSON", fenced("questionId: q1")],
    ["JSON that is no object", fenced([question])],
    ["no questionId", fenced({ ...question, questionId: undefined })],
    ["a blank questionId", fenced({ ...question, questionId: " " })],
    ["a questionId beyond 128 characters", fenced({ ...question, questionId: "q".repeat(129) })],
    ["a blank question", fenced({ ...question, question: "\n" })],
    ["no options", fenced({ ...question, options: undefined })],
    ["a single option", fenced({ ...question, options: question.options.slice(1) })],
    [
      "27 options",
      fenced({ ...question, options: Array.from({ length: 27 }, (_, id) => ({ id, text: "x" })) }),
    ],
    ["an option without a text", fenced({ ...question, options: [{ id: "A" }, { id: "B", text: "x" }] })],
    [
      "two options of one id",
      fenced({ ...question, options: [question.options[0], { id: " A ", text: "x" }] }),
    ],
    ["a NUL, which no database holds", fenced({ ...question, question: "Which\u0000?" })],
    [
      "a lone surrogate in an option",
      fenced({ ...question, options: [{ id: "A", text: "\ud800" }, question.options[1]] }),
    ],
    ["a malformed block after a good one", `${fenced(question)}\n${fenced("{")}`],
  ])("is none with %s", (_, answer) => {
    expect(questionIn(answer)).toBeUndefined();
  });

  it("has its ids as text, trimmed and composed, also where the model wrote numbers", () => {
    const written = {
      questionId: 7,
      question: " Which? ",
      options: [
        { id: 1, text: " one " },
        { id: " e\u0301 ", text: "Cafe\u0301" },
      ],
      hint: "not ours",
    };
    expect(questionIn(fenced(written))).toEqual({
      questionId: "7",
      question: "Which?",
      options: [
        { id: "1", text: "one" },
        { id: "é", text: "Café" },
      ],
    });
  });
});

describe("what may be answered to a question", () => {
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
    const accented = questionIn(
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
        const asked = questionIn(fenced({ questionId, question: "Which?", options: offered }));
        if (!asked) return;
        for (const { id } of asked.options) expect(chosen(asked, { questionId, answer: id })).toBe(id);
        const reached = chosen(asked, { questionId, answer: guess });
        expect([undefined, ...asked.options.map(({ id }) => id)]).toContain(reached);
      }),
    );
  });
});
