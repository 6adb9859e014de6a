import { describe, expect, it } from "vitest";
import {
  hashPassword,
  truncatePasswordForBcrypt,
  verifyPassword,
} from "../../../../lib/identity/auth/password-hashes.ts";

const bytes = (text: string) => new TextEncoder().encode(text).length;

describe("the cut of a password to 72 bytes", () => {
  it("leaves a password of 72 bytes alone", () => {
    const password = `${"a".repeat(70)}é`;
    expect(bytes(password)).toBe(72);
    expect(truncatePasswordForBcrypt(password)).toBe(password);
  });

  it.each([
    ["é", 71, 71],
    ["€", 70, 70],
    ["€", 71, 71],
    ["😀", 69, 69],
    ["😀", 68, 72],
  ])("drops %s whole when it crosses the edge after %i bytes", (character, before, kept) => {
    const password = `${"a".repeat(before)}${character}tail`;
    const cut = truncatePasswordForBcrypt(password);
    expect(bytes(cut)).toBe(kept);
    expect(password.startsWith(cut)).toBe(true);
  });

  it("accepts two passwords that agree in their first 72 bytes for the same account", async () => {
    const hash = await hashPassword(`${"a".repeat(71)}é one`, 4);
    expect(await verifyPassword(`${"a".repeat(71)}é two`, hash, 4)).toBe(true);
    expect(await verifyPassword(`${"a".repeat(70)}é two`, hash, 4)).toBe(false);
  });
});

describe("verifying a password", () => {
  it("never succeeds without a hash, and compares all the same", async () => {
    expect(await verifyPassword("anything", undefined, 4)).toBe(false);
    expect(await verifyPassword("anything", null, 4)).toBe(false);
  });
});
