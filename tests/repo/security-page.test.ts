import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/security.md"), "utf8");

/**
 * The requirements of levels 1 and 2 of ASVS 5.0.0: numbers by chapter and section. Missing numbers are level
 * 3.
 */
const numbers: Record<number, Record<number, number | number[]>> = {
  1: { 1: 2, 2: 9, 3: 11, 4: 3, 5: 2 },
  2: { 1: 3, 2: 3, 3: 4, 4: 1 },
  3: { 2: 2, 3: 4, 4: 6, 5: 5, 7: 2 },
  4: { 1: 3, 2: 1, 3: 2, 4: 4 },
  5: { 1: 1, 2: 3, 3: 2, 4: 3 },
  6: { 1: 3, 2: 12, 3: 4, 4: 4, 5: 5, 6: 3, 8: 4 },
  7: { 1: 3, 2: 4, 3: 2, 4: 5, 5: 2, 6: 2 },
  8: { 1: 2, 2: 3, 3: 1, 4: 1 },
  9: { 1: 3, 2: 4 },
  10: { 1: 2, 2: 2, 3: 4, 4: 11, 5: 5, 6: 2, 7: 3 },
  11: { 1: 2, 2: 3, 3: 3, 4: 4, 5: 1, 6: 1 },
  12: { 1: 3, 2: 2, 3: 4 },
  13: { 1: 1, 2: 5, 3: 2, 4: 5 },
  14: { 1: 2, 2: 4, 3: 3 },
  15: { 1: 3, 2: 3, 3: 7 },
  16: { 1: 1, 2: 5, 3: 4, 4: 3, 5: 3 },
  17: { 1: 1, 2: 4, 3: 2 },
};

const expected = Object.entries(numbers).flatMap(([chapter, sections]) =>
  Object.entries(sections).flatMap(([section, ones]) =>
    (typeof ones === "number" ? Array.from({ length: ones }, (_, at) => at + 1) : ones).map(
      (one) => `${chapter}.${section}.${one}`,
    ),
  ),
);

type State = "Held" | "Not held" | "Not applicable";
type Line = { number: string; isFirstLevel: boolean; asks: string; why: string; shown: string; state: State };

/** An entry is a number, the requirement and why, with tests in parentheses; or numbers and why they do not apply. */
const linesOf = (state: State): Line[] => {
  const part = page.split(/^### /m).find((one) => one.startsWith(`${state}\n`)) ?? "";
  return part
    .split(/^- /m)
    .slice(1)
    .flatMap((entry) => {
      const [, named = "", asks = "", why = "", shown = ""] =
        /^((?:\*{0,2}[\d.]+\*{0,2}(?:, )?)+):? (?:\*([^*]+)\.\* )?(.+?)(?: \((`tests\/[^)]+)\))?$/.exec(
          entry.trim().replaceAll(/\s+/g, " "),
        ) ?? [];
      return named.split(", ").map((one) => ({
        number: one.replaceAll("*", ""),
        isFirstLevel: one.startsWith("**"),
        ...{ asks, why, shown, state },
      }));
    });
};

const lines = (["Held", "Not held", "Not applicable"] as const).flatMap(linesOf);

const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, one = ""]) => one);

describe("the page on security", () => {
  it("has each requirement of levels 1 and 2 once, and what is held or not held in order", () => {
    const numbersOf = (some: readonly Line[]) => some.map(({ number }) => number);
    expect(numbersOf(lines).toSorted()).toEqual(expected.toSorted());
    for (const state of ["Held", "Not held"] as const) {
      const found = numbersOf(linesOf(state));
      expect(found).toEqual(expected.filter((number) => found.includes(number)));
    }
  });

  it("says of each why it is held or not, and which test shows that one is held", () => {
    for (const { number, asks, why, shown, state } of lines) {
      expect(why, number).not.toBe("");
      if (state !== "Not applicable") expect(asks, number).not.toBe("");
      if (state === "Held") expect(shown, number).not.toBe("");
      expect(shown.replaceAll(/`tests\/[^`]+\.test\.ts`(, |$)/g, ""), number).toBe("");
    }
  });

  it("counts them rightly", () => {
    const counted = (some: readonly Line[]) => {
      const of = (state: State) => some.filter((line) => line.state === state).length;
      return `${of("Held")} are held, ${of("Not held")} are not held, and ${of("Not applicable")} are not applicable`;
    };
    const first = lines.filter(({ isFirstLevel }) => isFirstLevel);
    const said = page.replaceAll("\n", " ");
    expect(said).toContain(`Of ${lines.length} requirements ${counted(lines)}.`);
    expect(said).toContain(`Of the ${first.length} of level 1 among them ${counted(first)}.`);
  });

  it("names existing files and places", () => {
    const isFile = (one: string) =>
      /^[\w.-]+(\/[\w.-]+)+\.\w+$|^[\w-]+\.(md|json|ya?ml)$|^Dockerfile$/.test(one);
    const files = new Set(quoted(page).filter(isFile));
    expect(files.size).toBeGreaterThan(150);
    expect([...files].filter((one) => !existsSync(path.join(root, one)))).toEqual([]);
    const linked = [...page.matchAll(/\]\((?!https:)([^)#]*)#?([^)]*)\)/g)];
    for (const [, file = "", anchor = ""] of linked) {
      const target = file === "" ? page : readFileSync(path.join(root, "docs", file), "utf8");
      const headings = [...target.matchAll(/^#+ (.+)$/gm)].map(([, words = ""]) =>
        words.toLowerCase().replaceAll("'", "").replaceAll(" ", "-"),
      );
      if (anchor) expect(headings, `${file}#${anchor}`).toContain(anchor);
    }
  });
});
