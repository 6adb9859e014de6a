import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyLearnerMessage } from "../../../../lib/tutor/dialogue/message-kind.ts";

const normalForm = (content: string): string | undefined => {
  const message = classifyLearnerMessage(content);
  return message.kind === "free" ? undefined : message.normalForm;
};

describe("the kind of a message", () => {
  it.each(["Start.", "  Start.\n"])("%j opens the topic", (content) => {
    expect(classifyLearnerMessage(content)).toEqual({ kind: "start", normalForm: "Start." });
  });

  it.each([
    "start.",
    "Start",
    "Start. please",
    "Why?",
    "{",
    "{}",
    "[1]",
    "null",
    '{"questionId":"q1"}',
    '{"answer":"B"}',
  ])("%j is free text", (content) => {
    expect(classifyLearnerMessage(content)).toEqual({ kind: "free" });
  });

  it("a follow-up leaves the tree, whatever its other fields", () => {
    expect(classifyLearnerMessage('{"type":"followup","questionId":"q1","answer":"B"}')).toEqual({
      kind: "free",
    });
  });

  it.each([
    ["@hint", "@hint"],
    [" @Hint\n", "@hint"],
    ["\u200b@dont_know", "@dont_know"],
    ["@anything", "@anything"],
    ['{"questionId":"q1","answer":"@HINT"}', "@hint"],
  ])("%j is called like a move", (content, move) => {
    expect(classifyLearnerMessage(content)).toMatchObject({ kind: "move", move });
  });

  it.each(["@", "@hint, please", "@hint @hint", "hint", "@h1nt", "@hint_", "ada@hint", `@${"a".repeat(64)}`])(
    "%j is free text",
    (content) => {
      expect(classifyLearnerMessage(content)).toEqual({ kind: "free" });
    },
  );

  it("an answer's normal form has the two keys only, sorted, its strings trimmed", () => {
    const content = ' {"questionId":" q1 ", "name":"Ada", "answer": " B " } ';
    expect(normalForm(content)).toBe('{"answer":"B","questionId":"q1"}');
  });

  it("an answer may be any JSON, nested keys sorted", () => {
    const content = '{"answer":{"b":[" x ",1.50,null],"a":true},"questionId":7}';
    expect(normalForm(content)).toBe('{"answer":{"a":true,"b":["x",1.5,null]},"questionId":7}');
  });

  it("the key __proto__ inside an answer is a key like any other", () => {
    expect(normalForm('{"questionId":"q","answer":{"__proto__":{"x":1}}}')).toBe(
      '{"answer":{"__proto__":{"x":1}},"questionId":"q"}',
    );
  });

  it("the order of keys and further keys never change the normal form", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), fc.jsonValue(), (questionId, answer, other) => {
        const one = JSON.stringify({ questionId, answer });
        const two = JSON.stringify({ other, answer, questionId });
        expect(normalForm(one)).toBe(normalForm(two));
      }),
    );
  });

  it("the normal form of a normal form is itself", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (questionId, answer) => {
        const once = normalForm(JSON.stringify({ questionId, answer })) ?? "";
        expect(normalForm(once)).toBe(once);
      }),
    );
  });
});
