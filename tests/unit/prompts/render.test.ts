import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { render, variablesIn } from "../../../lib/prompts/render.ts";

describe("placeholders", () => {
  it("are replaced by their values, spaces inside allowed", () => {
    expect(render("{{title}}, {{ title }}", { title: "Signals" }, "empty")).toBe("Signals, Signals");
  });

  it("without a value become empty, or are left standing", () => {
    expect(render("a{{x}}b", {}, "empty")).toBe("ab");
    expect(render("a{{x}}b", {}, "leave")).toBe("a{{x}}b");
  });

  it("do not find what every object inherits", () => {
    expect(render("{{toString}}", {}, "leave")).toBe("{{toString}}");
  });

  it("inside a value are not expanded, and neither are $ sequences", () => {
    const values = { a: "{{b}} $& $1 $$ @@@refPrompt:name=x|label=y@@@", b: "secret" };
    expect(render("{{a}}", values, "empty")).toBe(values.a);
  });

  it("any value goes in unchanged", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(render("<{{v}}>", { v: value }, "empty")).toBe(`<${value}>`);
      }),
    );
  });

  it("are listed once each, in order of appearance", () => {
    expect(variablesIn("{{b}} {{a}} {{ b }} {{1x}} {{a-b}}")).toEqual(["b", "a"]);
  });
});
