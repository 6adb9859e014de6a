import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { retired } from "../../../schema/functions/retired.ts";
import { openSession } from "./session.ts";

const { rows } = openSession();

it("every function of the database is called by a test of this folder, a trigger's by a write", async () => {
  const files = (await readdir(import.meta.dirname, { recursive: true })).filter((name) =>
    name.endsWith(".test.ts"),
  );
  const read = files.map((name) => readFile(new URL(name, import.meta.url), "utf8"));
  const tests = (await Promise.all(read)).join("\n");
  const functions = await rows(
    `select proname as name, prorettype = 'trigger'::regtype as "isTrigger", oid::regprocedure::text as signature,
            case when count(*) over (partition by proname) > 1 then proargtypes[0]::regtype::text end as "onlyOf"
     from pg_proc where pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e') order by signature`,
  );
  expect(functions.length).toBeGreaterThan(70);
  const isOldName = (signature: unknown) => retired.some(({ object }) => object === `function ${signature}`);
  // A call, a name in a list of calls or, for a trigger function, a test's title. Overloads are distinguished
  // by parameter type.
  const isCovered = ({ name, isTrigger, onlyOf }: (typeof functions)[number]) =>
    new RegExp(`\\b${name}\\b${isTrigger ? "" : '["(]'}`).test(tests) &&
    (onlyOf === null || new RegExp(`\\b${onlyOf}\\b`).test(tests));
  const uncovered = functions.filter((one) => !isCovered(one)).map(({ signature }) => signature);
  expect(uncovered.filter((signature) => !isOldName(signature))).toEqual([]);
});
