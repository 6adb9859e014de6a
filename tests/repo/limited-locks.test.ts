import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");

const rowLock = /\bfor (no key update|update|key share|share)\b/;

/** What stands between the parenthesis at `start` and its end, without inner parentheses. */
function insideOf(text: string, start: number): string {
  let depth = 0;
  let inside = "";
  for (const character of text.slice(start)) {
    if (character === ")") depth -= 1;
    if (depth === 0 && inside) return inside;
    if (depth === 1 && character !== "(") inside += character;
    if (character === "(") depth += 1;
  }
  return inside;
}

/** `place: the words before` of each subquery that locks a limited number of rows. */
function limitedLocksIn(text: string): string[] {
  return [...text.matchAll(/([\w=]+)\s*\(\s*select\b/g)].flatMap((found) => {
    const inside = insideOf(text, found.index + found[0].indexOf("("));
    return rowLock.test(inside) && /\blimit\b/.test(inside) ? [found[1] ?? ""] : [];
  });
}

/**
 * PostgreSQL may run `in (select … limit 1 for update skip locked)` once per row of the outer table: each run
 * locks another row. It runs `= (select …)`, `array(select …)` and `with … as (select …)` once.
 */
it("a subquery that locks a limited number of rows runs once", () => {
  expect(limitedLocksIn("where id in (select id from x where (a or b) limit 1 for update)")).toEqual(["in"]);
  const files = globSync(["schema/functions/*/*.sql", "lib/**/*.ts"], { cwd: root });
  const found = files.flatMap((file) =>
    limitedLocksIn(readFileSync(path.join(root, file), "utf8")).map((before) => ({ file, before })),
  );
  expect(found.length).toBeGreaterThan(30);
  expect(found.filter(({ before }) => !["=", "array", "as", "materialized"].includes(before))).toEqual([]);
});
