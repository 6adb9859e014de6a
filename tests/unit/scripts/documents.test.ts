import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import clientPackageJson from "../../../client/package.json" with { type: "json" };
import packageJson from "../../../package.json" with { type: "json" };

const root = path.resolve(import.meta.dirname, "../../..");
const documents = globSync(["*.md", "client/*.md", "docs/**/*.md"], { cwd: root }).filter(
  (file) => file !== "CHANGELOG.md", // It names what was there once.
);

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found);

describe.each(documents)("%s", (document) => {
  const text = readFileSync(path.join(root, document), "utf8");

  it("names commands that there are", () => {
    const own = matches(text, /npm run ([\w:-]+)(?! --workspace|[\w:-])/g);
    expect(own.filter((name) => !(name in packageJson.scripts))).toEqual([]);
    const ofTheClient = matches(text, /npm run ([\w:-]+) --workspace client/g);
    expect(ofTheClient.filter((name) => !(name in clientPackageJson.scripts))).toEqual([]);
  });

  it("leads to and names files that there are", () => {
    const links = matches(text, /\]\((?![a-z]+:)([^)#\s]+)/g).map((link) =>
      path.join(path.dirname(document), link),
    );
    const named = matches(
      text,
      /(?<![\w/.])((?:app|client|docs|functions|lib|proof|schema|scripts|server|tests)\/[\w./-]+\.\w+)/g,
    );
    expect([...links, ...named].filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });
});
