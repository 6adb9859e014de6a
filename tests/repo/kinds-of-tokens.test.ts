import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { userUniversityRoles } from "../../schema/db/identity/roles.ts";
import { loadSqlParser, repeatedAliases } from "../support/aliases.ts";
import type { Person } from "../support/client.ts";
import { openDryRun } from "../support/dry-run.ts";
import { makersOf } from "../support/makers.ts";
import { bodyOf, fullAddressOf, operations, queriesOf } from "../support/operations.ts";
import { allOr } from "../support/representatives.ts";
import type { UniversityFixture } from "../support/university.ts";
import type { World } from "../support/world.ts";

/** A university that requires its own provider, so complete tokens of its people reach everything else. */
async function askForProvider(world: World, person: number): Promise<void> {
  const { id } = await makersOf(world).university();
  const { db } = world.deps;
  await db.execute(sql`update universities set requires_own_provider = true where id = ${id}`);
  await db.insert(userUniversityRoles).values({ user_id: person, university_id: id, role: "STUDENT" });
}

/** A learner's tokens, one per kind of limit. */
async function tokensOf(world: World, { scope, learner: { id }, fields }: UniversityFixture) {
  const { university_id } = scope;
  const course_id = Number(fields["course_id"]);
  const offering_id = Number(fields["course_offering_id"]);
  await askForProvider(world, id);
  return [
    ["by a university's provider", { id, reach: { university_id } }],
    ["by a launch of an LMS", { id, reach: { university_id, offering_id, course_id } }],
    ["withheld from a university", { id }],
  ] satisfies [string, Person][];
}

/** The texts of all statements. */
const statements = new Set<string>();
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...sent: unknown[]) {
  const [first] = sent as [string | { text?: string }];
  statements.add(typeof first === "string" ? first : (first.text ?? ""));
  return (query as (...sent: unknown[]) => unknown).apply(this, sent);
} as typeof query;
afterAll(() => {
  pg.Client.prototype.query = query;
});

let tokens: [string, Person][] = [];
const dryRun = openDryRun(async (world, university) => {
  tokens = await tokensOf(world, university);
});

// `npm test` uses one token per operation, in turn.
const turns = operations.map((operation, turn) => ({ ...operation, turn }));

it.each(turns)("answers every kind of token without a fault: $name", async ({ turn, ...operation }) => {
  const { university, ask } = dryRun;
  const { method } = operation;
  const body = bodyOf(operation, university.fields);
  const paths = [fullAddressOf(operation, university.paths), ...queriesOf(operation, university.paths)];
  const faults: string[] = [];
  for (const [at, path] of paths.entries())
    for (const [name, person] of allOr(tokens, () =>
      tokens.filter((_, index) => index === (turn + at) % tokens.length),
    )) {
      const { status, text } = await ask(person, { method, path, body });
      if (status >= 500) faults.push(`${name}: ${path}: ${status} ${text}`);
    }
  expect(faults).toEqual([]);
});

it("no nested query has an alias of a query around it, which would capture a composed condition", async () => {
  await loadSqlParser();
  const captured = "select from notes as one where exists (select from items as one where one.id = $1)";
  expect(repeatedAliases(captured)).toEqual(["one"]);
  expect(repeatedAliases(captured.replace("items as one", "items as own"))).toEqual([]);
  const composed = [...statements].filter((text) => /\bselect\b/i.test(text));
  // More than one for each operation: the statements of all of them were seen.
  expect(composed.length).toBeGreaterThan(turns.length);
  const found = composed.flatMap((text) => repeatedAliases(text).map((name) => `${name}: ${text}`));
  expect(found).toEqual([]);
});
