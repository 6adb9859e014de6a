import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../../app/src");

/** Controls without field errors: list filters, and sign-in, which fails as a whole. */
const ofWhole = ["components/search-form.tsx", "reports/screen.tsx", "screens/sign-in.tsx"];

it("every named control of a form is a field, which shows its errors", () => {
  const controls = globSync("**/*.tsx", { cwd: root })
    .filter((file) => !ofWhole.includes(file))
    .flatMap((file) => {
      const source = readFileSync(path.join(root, file), "utf8");
      return [...source.matchAll(/<(?:input|select|textarea)\b[^<]*?\bname="\w+"[^<]*?>/g)]
        .map(([control]) => control)
        .filter((control) => !/type=("hidden"|.*"(checkbox|radio)")|\bhidden$/m.test(control))
        .map((control) => `${file}: ${control}`);
    });
  expect(controls).toEqual([]);
});
