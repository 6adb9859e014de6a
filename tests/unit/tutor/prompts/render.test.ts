import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { characterCount } from "../../../../lib/tutor/prompts/references.ts";
import { findVariableNames, renderedLength, renderPrompt } from "../../../../lib/tutor/prompts/render.ts";

describe("placeholders", () => {
  it("are replaced by their values, spaces inside allowed", () => {
    expect(renderPrompt("{{title}}, {{ title }}", { title: "Signals" }, "empty")).toBe("Signals, Signals");
  });

  it("without a value become empty, or are left standing", () => {
    expect(renderPrompt("a{{x}}b", {}, "empty")).toBe("ab");
    expect(renderPrompt("a{{x}}b", {}, "leave")).toBe("a{{x}}b");
  });

  it("do not match inherited properties of objects", () => {
    expect(renderPrompt("{{toString}}", {}, "leave")).toBe("{{toString}}");
  });

  it("inside a value are not expanded, and neither are $ sequences", () => {
    const values = { a: "{{b}} $& $1 $$ @@@refPrompt:name=x|label=y@@@", b: "secret" };
    expect(renderPrompt("{{a}}", values, "empty")).toBe(values.a);
  });

  /** Texts from parts that careless expansion would replace. */
  const pieces = ["{{v}}", "{{", "}}", "v", " ", "$&", "$1", "$$", "$`", "@@@refPrompt:name=a|label=b@@@"];
  const tempting = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 4 })))
    .map((parts) => parts.join(""));

  it("insert any value unchanged", () => {
    fc.assert(
      fc.property(tempting, tempting, (v, w) => {
        expect(renderPrompt("<{{v}}|{{ w }}>{{v}}", { v, w }, "empty")).toBe(`<${v}|${w}>${v}`);
      }),
    );
  });

  it("are counted beforehand to the character, in any text with any values", () => {
    fc.assert(
      fc.property(tempting, tempting, (text, v) => {
        const whole = `{{ v }}${text}{{w}}{{v}}`;
        expect(renderedLength(whole, { v })).toBe(characterCount(renderPrompt(whole, { v }, "leave")));
      }),
    );
  });

  it("leave other text unchanged", () => {
    fc.assert(
      fc.property(tempting, (text) => {
        fc.pre(findVariableNames(text).length === 0);
        expect(renderPrompt(text, { v: "value" }, "empty")).toBe(text);
      }),
    );
  });

  it("are listed once each, in order of appearance", () => {
    expect(findVariableNames("{{b}} {{a}} {{ b }} {{1x}} {{a-b}}")).toEqual(["b", "a"]);
  });
});
