import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../../app/src");

/** Course titles from other systems, in an unknown language. */
const ofOthers = ["lti/bound-contexts.tsx", "lti/lms-rosters.tsx"];

it("no label has a title in it, which may be in another language than the words around it", () => {
  const labels = globSync("**/*.tsx", { cwd: root })
    .filter((file) => !ofOthers.some((one) => file.startsWith(one)))
    .flatMap((file) => {
      const source = readFileSync(path.join(root, file), "utf8");
      const found = source.matchAll(
        /\b(?:aria-label|label)=\{(?:t\([^{}]*\{[^{}]*\btitle\b[^{}]*\}|[\w.]+\.title\b)/g,
      );
      return [...found]
        .map(([label]) => `${file}: ${label}`)
        .filter((label) => !/full_name|title: t\(/.test(label));
    });
  expect(labels).toEqual([]);
});
