import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { title } from "../../../../schema/api/platform/fields.ts";
import { ChatMessageCreate } from "../../../../schema/api/tutor/chat.ts";

/** Spaces and controls, a soft hyphen, joiners, marks of direction, fillers, a selector and an empty Braille cell. */
const invisible = fc.string({
  unit: fc.constantFrom(
    ...[" ", "\t", "\n", "\u00a0", "\u00ad", "\u034f", "\u061c", "\u115f", "\u180e", "\u200b", "\u200d"],
    ...["\u200e", "\u2060", "\u2800", "\u3000", "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\u{e0020}"],
  ),
});

describe("text that is required", () => {
  it("is blank if all of its characters are invisible", () => {
    fc.assert(
      fc.property(invisible, (text) => {
        const { error } = title(255).safeParse(text);
        expect(error?.issues).toMatchObject([{ code: "too_small", message: "String should not be blank" }]);
        expect(ChatMessageCreate.safeParse({ content: text }).success).toBe(false);
      }),
    );
  });

  it("is trimmed, and keeps invisible characters next to visible ones", () => {
    fc.assert(
      fc.property(invisible, fc.constantFrom("A", "é", "字", "👍", "."), invisible, (before, one, after) => {
        const text = before + one + after;
        expect(title(255).parse(text)).toBe(text.trim());
      }),
    );
  });
});
