import { describe, expect, it } from "vitest";
import { commonPasswordCount, commonPasswords } from "../../../../lib/identity/auth/common-passwords.ts";
import { findPasswordWeakness } from "../../../../lib/identity/auth/guessable-passwords.ts";

const weakness = (password: string, ...words: string[]) =>
  findPasswordWeakness(password, words, commonPasswords);

describe("a password", () => {
  it.each([
    ["from the list", "password"],
    ["from the list in another case", "PassWord"],
    ["from the list, with digits and marks around", "--Summer2026!!"],
    ["from the list, with letters replaced", "P@5sw0rd"],
    ["from the list, with letters replaced and a year", "l3tme1n-2026"],
    ["from the list, with a mark after its digits", "1qaz2wsx!"],
    ["from the list, with an accent", "drágon"],
    ["from the list, repeated", "monkeymonkeymonk"],
    ["that repeats a few characters", "abcabcabcabca"],
    ["that repeats one character", "zzzzzzzzzzzz"],
    ["that counts up", "23456789:;<="],
    ["that counts down", "hgfedcba"],
  ])("%s is common", (_, password) => expect(weakness(password)).toBe("common"));

  it.each(["correct horse battery staple", "xk29!pq7LmR", "monkey-8472-9911-2222", "x", ""])(
    "is not common otherwise: %s",
    (password) => expect(weakness(password)).toBeUndefined(),
  );

  it.each([
    ["AdaLovelace1815!", "Ada Lovelace"],
    ["Xyliané.2026", "Xyliane Smith"],
    ["lovelace@analytical", "a.lovelace@analytical.example"],
    ["Northgate-abc-1", "University of Northgate NGU"],
    ["ada-password", "Ada"],
  ])("of the person's words is weak: %s", (password, ...words) =>
    expect(weakness(password, ...words)).toBe("own words"),
  );

  it.each([
    ["lovelace-xk29!pq", "Ada Lovelace"],
    ["a word of Ada", "Ada Lovelace"],
    ["or-ch-vulpine-9", "Or Ch"],
  ])("may contain the person's words: %s", (password, ...words) =>
    expect(weakness(password, ...words)).toBeUndefined(),
  );

  it("of a megabyte takes no longer than one of 72 characters", () => {
    expect(weakness("ab".repeat(500_000))).toBe("common");
    expect(weakness(`${"a".repeat(71)}b${"c".repeat(1_000_000)}`)).toBeUndefined();
  });
});

it("the list has lower-case passwords of visible ASCII", () => {
  expect(commonPasswords.size).toBe(commonPasswordCount);
  expect([...commonPasswords].filter((one) => !/^[\x21-\x40\x5b-\x7e]+$/.test(one))).toEqual([]);
});
