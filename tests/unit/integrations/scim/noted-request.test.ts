import { expect, it } from "vitest";
import { redactErrorText } from "../../../../lib/integrations/scim/directory-request-log.ts";

it.each([
  [
    "A Group has no attribute 'nothing' that can be changed",
    "A Group has no attribute 'nothing' that can be changed",
  ],
  [
    "Resources cannot be filtered by 'emails[value eq \"ada@example.edu\"]'",
    "Resources cannot be filtered by 'emails[value eq \"…\"]'",
  ],
  ["Unexpected ada@example.edu in filter", "Unexpected … in filter"],
  ['userName eq "ada', 'userName eq "…"'],
  [
    "Attribute 'type' does not include canonical value 'Ada'",
    "Attribute 'type' does not include canonical value '…'",
  ],
  ["/Users/ada@example.edu", "/Users/…"],
  ["User Ada Lovelace not found", "User … not found"],
  ["User 12 not found", "User 12 not found"],
  ["a\0b\u001bc", "a b c"],
])("a refusal is stored without the sent values: %s", (words, kept) => {
  expect(redactErrorText(words)).toBe(kept);
});

it("a refusal is stored without values, of any length and cut anywhere", () => {
  const kept = redactErrorText(`${"a".repeat(254)}\u{1f600}`);
  expect([kept.length, kept.isWellFormed()]).toEqual([255, true]);
  expect(redactErrorText("\ud800")).toBe("\ufffd");
});
