import { describe, expect, it } from "vitest";
import { stringifyStorableJson, stripUnstorableCharacters } from "../../../app/src/storable.ts";

describe("the sent part of a text", () => {
  it("excludes only NUL characters and halves of pairs, which are invisible", () => {
    expect(stripUnstorableCharacters("a\0b\ud83d c\udc69d")).toBe("ab cd");
    const whole = "Zeile\r\n\tzwei \u200b 👩‍👩‍👧 𝒙 é ß 中 <b>&amp;</b>";
    expect(stripUnstorableCharacters(whole)).toBe(whole);
  });

  it("is the same anywhere in a body, and numbers and null stay unchanged", () => {
    const body = { title: "a\0", list: ["\ud83d", 1.5, null, true], none: undefined };
    expect(JSON.parse(stringifyStorableJson(body))).toEqual({ title: "a", list: ["", 1.5, null, true] });
  });
});
