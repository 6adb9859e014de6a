import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { colorThemes, computeBrandShades, contrastRatio } from "../../../../lib/identity/looks/shades.ts";

/** Colors across the whole cube, including its corners. */
const parts = ["00", "33", "66", "99", "cc", "ff"];
const colors = parts.flatMap((red) =>
  parts.flatMap((green) => parts.map((blue) => `#${red}${green}${blue}`)),
);

const styles = await readFile(new URL("../../../../app/styles/base.css", import.meta.url), "utf8");

function stylesOf(name: string): Record<"light" | "dark", string> {
  const [, light = "", dark = ""] =
    new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(styles) ?? [];
  return { light, dark };
}

const named = (names: string[]) => names.map(stylesOf);
const grounds = named(["ground", "surface", "raised", "good-soft", "warm-soft", "bad-soft"]);
const words = named(["text", "quiet", "good", "warm", "bad"]);
const onAccent = stylesOf("on-accent");

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  it("any color becomes one with 4.5 : 1 against each background, the soft one among them", () => {
    for (const color of colors) {
      const { accent, soft } = computeBrandShades(color)[theme];
      for (const ground of [...grounds.map((one) => one[theme]), soft])
        expect(contrastRatio(accent, ground), `${color}: ${accent} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      expect(contrastRatio(onAccent[theme], accent), `on ${accent}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it("words keep 4.5 : 1 on every soft ground", () => {
    for (const color of colors)
      for (const word of words)
        expect(
          contrastRatio(word[theme], computeBrandShades(color)[theme].soft),
          color,
        ).toBeGreaterThanOrEqual(4.5);
  });

  it("words keep 4.5 : 1, and edges 3 : 1, on every ground", () => {
    for (const ground of grounds) {
      for (const word of words) expect(contrastRatio(word[theme], ground[theme])).toBeGreaterThanOrEqual(4.5);
      expect(contrastRatio(stylesOf("edge")[theme], ground[theme])).toBeGreaterThanOrEqual(3);
    }
  });

  it("a color with enough contrast stays unchanged", () => {
    const { accent } =
      stylesOf("accent")[theme] === "" ? { accent: "" } : { accent: stylesOf("accent")[theme] };
    expect(computeBrandShades(accent)[theme].accent).toBe(accent);
  });

  it("counts with the grounds and words of the style sheet", () => {
    expect(colorThemes[theme].grounds).toEqual(grounds.map((one) => one[theme]));
    expect(colorThemes[theme].words).toEqual(words.map((one) => one[theme]));
    expect(colorThemes[theme].softOn).toBe(stylesOf("surface")[theme]);
  });
});

it("measures contrast as WCAG does", () => {
  expect(contrastRatio("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrastRatio("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});
