import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { projectsOf } from "../../vitest.config.ts";
import { onlyInAll } from "../support/only-in-all.ts";

const root = path.resolve(import.meta.dirname, "../..");

const everything = projectsOf({ exhaustive: true });

describe("the tests that only `npm run test:all` runs", () => {
  it("is named by files that exist, of the project that runs them", () => {
    for (const { project, ...files } of onlyInAll) {
      const { include = [], exclude = [] } = everything.find(({ test }) => test.name === project)?.test ?? {};
      for (const file of "files" in files ? files.files : files.allBut) {
        expect(existsSync(path.join(root, file)), file).toBe(true);
        const matches = (pattern: string) => path.matchesGlob(file, pattern);
        expect(include.some(matches) && !exclude.some(matches), `${file} in ${project}`).toBe(true);
      }
    }
  });

  it("is left out by `npm test`", () => {
    const daily = projectsOf({ exhaustive: false });
    for (const { project, ...files } of onlyInAll) {
      const { include = [], exclude = [] } = daily.find(({ test }) => test.name === project)?.test ?? {};
      if ("files" in files) expect(exclude).toEqual(expect.arrayContaining(files.files));
      else expect(include).toEqual(files.allBut);
    }
  });
});
