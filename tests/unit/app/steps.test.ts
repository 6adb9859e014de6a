import { describe, expect, it } from "vitest";
import {
  answerWithoutQuestionBlock,
  buildDialogueSteps,
  escapeMoveLikeText,
  parseLearnerMessage,
  parseQuestionBlock,
  sharedPathMessages,
} from "../../../app/src/tutor/steps.ts";

const question = {
  questionId: "q1",
  question: "Which?",
  options: [
    { id: "A", text: "Left" },
    { id: "B", text: "Right" },
  ],
};
const said = (content: string) => ({ role: "user" as const, content, question: null, meta: {} });
const told = (asks = true, meta = {}) => ({
  role: "assistant" as const,
  content: "…",
  question: asks ? question : null,
  meta,
});
const choice = (answer: string) => JSON.stringify({ questionId: "q1", answer });

describe("a learner's message", () => {
  it.each([
    ["Start.", "start"],
    [choice("B"), "choice"],
    [choice(" Right "), "choice"],
    [choice("C"), "words"],
    [choice("@hint"), "move"],
    ["@dont_know", "move"],
    ["hint", "words"],
    ["@hint, please", "words"],
    ['{"questionId":"q9","answer":"B"}', "words"],
    ['{"type":"followup","questionId":"q1","answer":"B"}', "words"],
    ["null", "words"],
    ["Why?", "words"],
  ])("%s is a %s", (content, kind) => {
    expect(parseLearnerMessage(content, question).kind).toBe(kind);
  });

  it("is typed text even if it is named like a move, and is shown as typed", () => {
    for (const typed of ["@hint", "@Hint", "@dont_know", "＠hint", "@nothing_of_that"]) {
      expect(JSON.parse(escapeMoveLikeText(typed))).toEqual({ type: "followup", text: typed });
      expect(parseLearnerMessage(escapeMoveLikeText(typed), question)).toEqual({
        kind: "words",
        content: typed,
      });
    }
    for (const typed of ["@hint, please", "Why?", "a @hint", "{}"])
      expect(escapeMoveLikeText(typed)).toBe(typed);
    expect(parseLearnerMessage('{"type":"followup","text":7}', question).kind).toBe("words");
  });

  it("is an option's text if it answers an earlier question, as from a tab that was left open", () => {
    const late = parseLearnerMessage(choice("B"), { ...question, questionId: "q2" }, [
      { question },
      { question: null },
    ]);
    expect(late).toEqual({ kind: "words", content: "Right" });
    expect(parseLearnerMessage(choice("B"), null)).toEqual({ kind: "words", content: "B" });
    const twice = [said("Start."), told(), said(choice("A")), told(false), said(choice("B"))];
    expect(buildDialogueSteps(twice).at(-1)).toMatchObject({
      kind: "words",
      content: "Right",
      isOnPath: false,
    });
  });

  it("is a choice if an option is named like a move, and text without a question", () => {
    const called = { ...question, options: [{ id: "@hint", text: "A hint" }] };
    expect(parseLearnerMessage(choice("@hint"), called)).toMatchObject({ kind: "choice", label: "A hint" });
    expect(parseLearnerMessage("@hint", null).kind).toBe("words");
  });

  it("is shown as the option's text, if it is one", () => {
    expect(parseLearnerMessage(choice("B"), question)).toMatchObject({ label: "Right" });
  });
});

describe("an answer's own block", () => {
  it("is its question; other blocks are none", () => {
    expect(parseQuestionBlock(`Well.\n\n\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\``)).toEqual(question);
    for (const none of ["Well.", "```mcq\n{\n```", '```mcq\n{"question": 1}\n```', "```mcq\nnull\n```", ""])
      expect(parseQuestionBlock(none)).toBeNull();
  });
});

describe("the way through a topic", () => {
  const messages = [
    said("Start."),
    told(),
    said(choice("A")),
    told(),
    said("Why?"),
    told(),
    said(choice("A")),
    told(),
  ];

  it("is on the class's path until free text, and stays private after it", () => {
    expect(buildDialogueSteps(messages).map(({ isOnPath }) => isOnPath)).toEqual([true, true, false, false]);
    expect(sharedPathMessages(messages)).toEqual(["Start.", choice("A")]);
  });

  it("stays on the class's path after a move", () => {
    const moved = [said("Start."), told(), said(choice("@hint")), told(), said(choice("B")), told()];
    expect(sharedPathMessages(moved)).toEqual(["Start.", choice("@hint"), choice("B")]);
  });

  it("is never led back to by a new start once a session has left it", () => {
    const again = [...messages, said("Start."), told(), said(choice("B")), told()];
    const left = { cache_enabled: true, cache_state: "DIVERGED" } as const;
    expect(buildDialogueSteps(again, left).map(({ isOnPath }) => isOnPath)).toEqual([
      true,
      true,
      ...Array(4).fill(false),
    ]);
    expect(sharedPathMessages(again, left)).toEqual(["Start.", choice("A")]);
    const twice = [said("Start."), told(), said("Start."), told(), said(choice("B")), told()];
    expect(buildDialogueSteps(twice).every(({ isOnPath }) => isOnPath)).toBe(true);
    expect(sharedPathMessages(twice)).toEqual(["Start.", choice("B")]);
  });

  it("is private if the course shares no answers", () => {
    expect(buildDialogueSteps(messages, { cache_enabled: false }).some(({ isOnPath }) => isOnPath)).toBe(
      false,
    );
  });

  it("is left after a cut-off answer, since no path has it", () => {
    const cut = [said("Start."), told(true, { stop: "length" }), said(choice("A"))];
    expect(buildDialogueSteps(cut).map(({ isOnPath }) => isOnPath)).toEqual([true, false]);
  });
});

describe("an answer's text", () => {
  it.each(["Hello.\n\n```mcq\n{}\n```", 'Hello.\n\n```mcq\n{"quest', "Hello.\n\n```mcq"])(
    "omits the question, also while it is streamed: %j",
    (answer) => expect(answerWithoutQuestionBlock(answer)).toBe("Hello."),
  );

  it("keep other code", () => {
    expect(answerWithoutQuestionBlock("```js\n1\n```")).toBe("```js\n1\n```");
  });
});
