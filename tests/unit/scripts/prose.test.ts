import { globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { beginsWithFreeRelative, paragraphsOf, sentencesOf, wordsOf } from "../../support/prose.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");
const filesIn = (pattern: string): string[] =>
  globSync(pattern, {
    cwd: root,
    exclude: ["**/node_modules/**", "**/vendor/**", "app/built/**", "client/dist/**", "schema/migrations/**"],
  });

describe("documents", () => {
  const pages = filesIn("{,client/,docs/**/}*.md");
  const byHand = pages.filter((page) => !page.startsWith("docs/reference/"));

  it("written by hand have at most 40 000 words together", () => {
    expect(byHand.length).toBeGreaterThan(50);
    expect(wordsOf(byHand.map(textOf).join("\n")).length).toBeLessThanOrEqual(40_000);
  });

  it("written by a program are in docs/reference, and nothing else is", () => {
    const writers: Record<string, string> = {
      "measurements.md": "proof/bench/measurements-document.ts",
      "performance-costs.json": "proof/bench/costs.ts",
      "round-trips.md": "tests/repo/round-trips.test.ts",
    };
    for (const [name, writer] of Object.entries(writers))
      expect(textOf(writer)).toContain(`docs/reference/${name}"`);
    const generated = [...textOf("scripts/generate.ts").matchAll(/\[\s*"(docs\/[^"]+)",/g)].map(
      ([, file = ""]) => file,
    );
    const expected = [...generated, ...Object.keys(writers).map((name) => `docs/reference/${name}`)];
    const found = readdirSync(path.join(root, "docs/reference")).map((name) => `docs/reference/${name}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it.each(pages.filter((page) => !/^(README|CHANGELOG)|\/decisions\//.test(page)))(
    "%s begins with what its reader can do after it",
    (page) => {
      expect(textOf(page)).toMatch(/^# .+\n\nAfter this (page|guide) (you|your page) (can|know)\b/);
    },
  );
});

const sources = "{ts,tsx,mjs,sql,md}";
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^\.|^(coverage|logs|backups|node_modules)$/.test(entry.name))
  .map(({ name }) => [name, `${name}/**/*.${sources}`] as const);

it.each([...folders, ["the root", `*.${sources}`] as const])(
  "in %s fewer than one sentence in a hundred has a clause as its subject",
  (_, pattern) => {
    const sentences = filesIn(pattern).flatMap((file) => sentencesOf(paragraphsOf(file, textOf(file))));
    expect(sentences.length).toBeGreaterThan(0);
    const found = sentences.filter(beginsWithFreeRelative);
    expect(found.length / sentences.length, found.join("\n")).toBeLessThan(0.01);
  },
);

describe("a sentence whose subject is a clause", () => {
  it.each([
    "Whoever asks is told.",
    "What is due is sent.",
    "Where nobody waits, nobody feels it.",
    "**Who grades** is in the log.",
    "Whatever is kept stays.",
  ])("is found: %s", (sentence) => {
    expect(beginsWithFreeRelative(sentence)).toBe(true);
  });

  it.each([
    "What does it cost?",
    "The caller asks what is due.",
    "Whole rows are copied.",
    "Whereas is a word.",
  ])("is not: %s", (sentence) => {
    expect(beginsWithFreeRelative(sentence)).toBe(false);
  });
});

describe("the sentences of a file", () => {
  const sentences = (file: string, text: string) => sentencesOf(paragraphsOf(file, text));

  it("are those of its comments in TypeScript, without strings", () => {
    const text = [
      "/** Returns a row. Throws",
      " * if there is none. */",
      'const address = "https://a.example"; // The first line',
      "// and the second.",
      'const glob = "docs/**/*.md"; const other = "/* What is no comment. */";',
    ].join("\n");
    expect(sentences("a.ts", text)).toEqual([
      "Returns a row.",
      "Throws if there is none.",
      "The first line and the second.",
    ]);
  });

  it("are those of its comments in SQL, without strings", () => {
    const text = "-- Locks the row.\nselect '-- What is no comment';\n-- Returns\n-- nothing. Really.\n";
    expect(sentences("a.sql", text)).toEqual(["Locks the row.", "Returns nothing."]);
  });

  it("are paragraphs and list items of a page, without code, tables and headings", () => {
    const text =
      "# What it is\n\nOne line. Another\nline.\n\n- An item here.\n\n| What it is |\n\n```sh\nWhat runs here\n```\n";
    expect(sentences("a.md", text)).toEqual(["One line.", "Another line.", "An item here."]);
  });
});
