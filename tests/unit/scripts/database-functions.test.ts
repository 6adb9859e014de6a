import { expect, it } from "vitest";
import { bounds } from "../../../scripts/build/functions/bounds.ts";
import { boundsBroken, countsOf } from "../../../scripts/build/functions/count.ts";
import { readDefinitions } from "../../../scripts/build/functions/read.ts";

const definitionsOf = (sql: string, code = "") =>
  readDefinitions({ sql: new Map([["one.sql", sql]]), code: new Map([["lib/one.ts", code]]) });

const functionOf = (name: string, body: string, parameters = "") =>
  `create or replace function ${name}(${parameters}) returns integer language sql as $$\n  ${body}\n$$;\n`;

const namesIn = (sql: string, code?: string) =>
  Object.fromEntries(
    Object.entries(countsOf(definitionsOf(sql, code)).candidates).map(([kind, functions]) => [
      kind,
      functions.map(({ name }) => name),
    ]),
  );

it("counts functions, triggers, lines and parameters, and takes no comma within a type or a default for a parameter", () => {
  const trigger = "create or replace trigger t after insert on books for each row execute function two();\n";
  const three = functionOf(
    "three",
    "select 1",
    "a numeric(4, 2), b integer[] default array[1, 2], c text, out d text",
  );
  expect(countsOf(definitionsOf(functionOf("two", "select 2") + three + trigger)).limited).toEqual({
    functions: 2,
    triggers: 1,
    longest: 3,
    parameters: 3,
  });
});

it("finds callers in functions, views and code, but not in comments and strings", () => {
  const view = "create or replace view shown as select one() as one;\n";
  const other = functionOf("other", "-- two()\n  select 'two()'");
  const candidates = namesIn(
    functionOf("one", "select 1") + functionOf("two", "select 2") + other + view,
    "sql`other()`",
  );
  expect(candidates["called by no code"]).toEqual(["two"]);
  expect(candidates["called from SQL only"]).toEqual(["one"]);
  expect(candidates["reads with one caller"]).toEqual(["one", "other"]);
});

it("takes a function that calls one that writes or locks for a writer", () => {
  const sql =
    functionOf("writes", "insert into books values (1)") +
    functionOf("locks", "select id from books for share") +
    functionOf("calls", "select writes() + locks() + reads()") +
    functionOf("reads", "select id from books");
  expect(namesIn(sql)["reads with one caller"]).toEqual(["reads"]);
  expect(namesIn(sql)["writers with one caller in SQL"]).toEqual(["writes", "locks"]);
});

it("names each number that is over its bound", () => {
  expect(boundsBroken(bounds)).toEqual([]);
  expect(boundsBroken({ ...bounds, triggers: bounds.triggers + 1 })).toEqual([
    `triggers: ${bounds.triggers + 1}, and at most ${bounds.triggers} are allowed`,
  ]);
});
