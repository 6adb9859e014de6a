import { describe, expect, it } from "vitest";
import { diffOf } from "../../../app/src/teaching/diff.ts";

describe("a difference", () => {
  it("keeps what is the same, and says what went and what came", () => {
    const lines = diffOf("a\nb\nc", "a\nx\nc\nd").map(({ kind, text }) => `${kind} ${text}`);
    expect(lines).toEqual(["same a", "removed b", "added x", "same c", "added d"]);
  });
});
