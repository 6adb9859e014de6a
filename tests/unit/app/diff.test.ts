import { describe, expect, it } from "vitest";
import { diffTextLines } from "../../../app/src/teaching/diff.ts";

describe("a difference", () => {
  it("keeps equal parts, and marks removed and added ones", () => {
    const lines = diffTextLines("a\nb\nc", "a\nx\nc\nd").map(({ kind, text }) => `${kind} ${text}`);
    expect(lines).toEqual(["same a", "removed b", "added x", "same c", "added d"]);
  });
});
