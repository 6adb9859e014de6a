import fc from "fast-check";
import { expect, it } from "vitest";
import { SpokenText } from "../../../../lib/platform/llm/thinking.ts";

/** The output for an answer split at this size. */
function said(answer: string, { isUnopened = false, size = answer.length } = {}): string {
  const spoken = new SpokenText(isUnopened);
  let text = "";
  for (let at = 0; at < answer.length; at += size) text += spoken.take(answer.slice(at, at + size));
  return text + spoken.rest();
}

it.each([
  ["<think>secret</think>Hello.", "Hello."],
  [" \n<THINK>secret</THINK>\n\nHello.", "Hello."],
  ["<thinking>secret</thinking>Hello.", "Hello."],
  ["<think>secret</think>\n<think>more</think>\nHello.", "Hello."],
  ["<think>never closed", ""],
  ["<think>a < b </thin </think>Hello.", "Hello."],
  ["Hello <think>not at the beginning</think>", "Hello <think>not at the beginning</think>"],
  ["<thin ice>", "<thin ice>"],
  ["<thi", "<thi"],
  ["  Hello.", "  Hello."],
  ["", ""],
])("of %j returns %j, for all chunks", (answer, expected) => {
  for (const size of [1, 2, 3, 5, answer.length || 1]) expect(said(answer, { size })).toBe(expected);
});

it.each([
  ["secret</think>Hello.", "Hello."],
  ["<think>secret</think> Hello.", "Hello."],
  ["secret, and no end", ""],
])("of %j, if the model begins inside its thinking, returns %j", (answer, expected) => {
  for (const size of [1, 2, answer.length]) expect(said(answer, { isUnopened: true, size })).toBe(expected);
});

it("loses nothing of an answer that does not begin so, and takes a time that grows as the answer does", () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !/^\s*<think/i.test(text)),
      (answer) => {
        expect(said(answer, { size: 1 })).toBe(answer);
      },
    ),
  );
  const long = `<think>${"</thin".repeat(50_000)}</think>${" ".repeat(5000)}Hello.`;
  expect(said(long, { size: 1 })).toMatch(/^\s*Hello\.$/);
});
