import { expect, it } from "vitest";
import { asideToResume, type ConversationSummary } from "../../../app/src/tutor/sessions.ts";
import { matchTypedOption } from "../../../app/src/tutor/typed-choice.ts";

const question = {
  questionId: "q1",
  question: "Which?",
  options: [
    { id: "A", text: "Left" },
    { id: "B", text: "x²" },
    { id: "C", text: "x2" },
    { id: "D", text: "No (never)." },
    { id: "E", text: "It doesn't" },
  ],
};

it.each([
  ["B", "B"],
  [" b) ", "B"],
  ["(b).", "B"],
  ["Ｂ", "B"],
  ["„b“", "B"],
  ["left", "A"],
  ["Left!", "A"],
  ["no (never).", "D"],
  ["it doesn’t", "E"],
])("%j looks like the option %s", (typed, id) => {
  expect(matchTypedOption(question, typed)?.id).toBe(id);
});

it.each(["x2", "Why B?", "B or A", "", " ) ", "F", "I think it is left"])("%j looks like none", (typed) => {
  expect(matchTypedOption(question, typed)).toBeUndefined();
});

it("nothing matches an option without a question", () => {
  expect(matchTypedOption(null, "B")).toBeUndefined();
});

it("an aside continues while it is open and its conversation is where it began", () => {
  const line = (id: number, fields: Partial<ConversationSummary>) =>
    ({
      id,
      aside_of: 1,
      closed_at: null,
      created_at: "2026-01-01T10:00:01Z",
      ...fields,
    }) as ConversationSummary;
  const session = (at: string) =>
    ({ id: 1, messages: [{ created_at: at }] }) as Parameters<typeof asideToResume>[1];
  const closed = line(2, { closed_at: "2026-01-01T10:00:02Z" });
  const lines = [line(4, { aside_of: 9 }), line(3, {}), closed];
  expect(asideToResume(lines, session("2026-01-01T10:00:00.5Z"))?.id).toBe(3);
  expect(asideToResume(lines, session("2026-01-01T10:00:02Z"))).toBeUndefined();
  expect(asideToResume([closed], session("2026-01-01T10:00:00Z"))).toBeUndefined();
});
