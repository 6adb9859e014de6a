import { describe, expect, it } from "vitest";
import { storable, storableJson } from "../../../app/src/storable.ts";

describe("what is sent of a text", () => {
  it("is all of it but NUL characters and halves of pairs, which nobody sees", () => {
    expect(storable("a\0b\ud83d c\udc69d")).toBe("ab cd");
    const whole = "Zeile\r\n\tzwei \u200b 👩‍👩‍👧 𝒙 é ß 中 <b>&amp;</b>";
    expect(storable(whole)).toBe(whole);
  });

  it("is so wherever it stands in a body, and numbers and nothing stay what they are", () => {
    const body = { title: "a\0", list: ["\ud83d", 1.5, null, true], none: undefined };
    expect(JSON.parse(storableJson(body))).toEqual({ title: "a", list: ["", 1.5, null, true] });
  });
});
