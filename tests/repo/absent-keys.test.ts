import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoAdministrator, demoInstructor, demoStudent } from "../../scripts/dev/seed/accounts.ts";
import { seed } from "../../scripts/seed.ts";
import { askOn, type DryRun } from "../support/dry-run.ts";
import { arrangements } from "../support/example-arrangements.ts";
import { type Operation, operations, pathOf, resolved, type Schema } from "../support/operations.ts";
import { openUndone, type UndoneDatabase } from "../support/undone.ts";
import { openWorld } from "../support/world.ts";

type Body = Record<string, unknown>;
/** Sends a body to the same resource, and returns what lasts of the response. Undefined if it is rejected. */
type Put = (body: Body) => Promise<string | undefined>;

/** Keys that say how to make the change. Nothing of them is stored. */
const actions: Readonly<Record<string, readonly string[]>> = {
  gradeSubmission: ["alone"],
  agreeOnGrade: ["alone"],
  updateChatTopicTreeNode: ["removes_question", "keep_children"],
};

const world = openWorld();
let undone: UndoneDatabase;
let ask: DryRun["ask"];
let people: { id: number }[];

beforeAll(async () => {
  await seed(world.deps.db, { now: world.deps.now(), bcryptCost: 4 });
  const emails = [demoAdministrator, demoInstructor, demoStudent].map(({ email }) => email);
  const found = await world.deps.db.execute<{ id: number }>(sql`
    select u.id from users u left join user_university_roles r on r.user_id = u.id and r.role = 'platform_admin'
    where r.id is not null or u.email in ${emails}
    order by r.id is null, u.id`);
  people = found.rows;
  undone = await openUndone(world.deps.config.DATABASE_URL);
  // Requests see the changes of earlier ones, until `undone.undo`.
  ask = askOn({ world, personReads: [] }, { ...undone, undo() {} });
});
afterAll(() => undone.close());

const isRequired = ({ body }: Operation, key: string) => body?.required?.includes(key) === true;
const keysOf = (operation: Operation) =>
  Object.keys(operation.body?.properties ?? {}).filter(
    (key) => !isRequired(operation, key) && !actions[operation.contract.id]?.includes(key),
  );
const examplesOf = ({ body: { example, examples = [] } = {} }: Operation): Body[] =>
  (example === undefined ? examples : [example]) as Body[];

const changes = operations
  .filter((operation) => /^(PUT|PATCH)$/.test(operation.method) && keysOf(operation).length > 0)
  .map((operation) => ({ operation, id: operation.contract.id }));

/** Values of which one should differ from what a new resource has. */
function valuesOf(operation: Operation, key: string): unknown[] {
  const schema = (resolved(operation.body?.properties?.[key]) ?? {}) as Schema & { anyOf?: Schema[] };
  const own = [schema, ...(schema.anyOf ?? [])]
    .map(resolved)
    .flatMap((one) => [
      ...(one.enum ?? []),
      ...(one.type === "boolean" ? [true, false] : []),
      ...(one.type === "integer" || one.type === "number" ? [1, 2].map((by) => (one.minimum ?? 0) + by) : []),
      ...(one.type === "string" && !one.enum ? ["other", "2030-01-01T00:00:00Z", "2030-01-01"] : []),
      one.example,
    ]);
  const given = examplesOf(operation).map((example) => example[key]);
  return [...new Set([...given, ...own])].filter((value) => value != null);
}

const pick = (body: Body, keeps: (key: string) => boolean): Body =>
  Object.fromEntries(Object.entries(body).filter(([key]) => keeps(key)));

/** Bodies without the key: the required keys only, then all others of the examples. */
const basesOf = (operation: Operation, key: string): Body[] => [
  pick(examplesOf(operation)[0] ?? {}, (name) => isRequired(operation, name)),
  ...examplesOf(operation).map((example) => pick(example, (name) => name !== key)),
];

const renewed = /^(updated_at|version|marked_at|graded_at|edited_at)$/;

/** For the demonstration's people and first objects, or for the row that the example needs. Each call undoes the former's changes. */
function targetsOf(operation: Operation): (() => Promise<Put>)[] {
  const { id } = operation.contract;
  const put =
    (person: { id: number } | undefined, path: string): Put =>
    async (body) => {
      const { status, text } = await ask(person, { method: operation.method, path, body });
      return status < 300
        ? JSON.stringify(JSON.parse(text || "null", (key, value) => (renewed.test(key) ? undefined : value)))
        : undefined;
    };
  const arrangement = arrangements("")[id];
  if (arrangement)
    return [
      async () => {
        undone.undo();
        const { rows } = await undone.db.execute<Record<string, unknown>>(arrangement);
        const { person, ...values } = rows[0] ?? {};
        const path = pathOf(operation, { prompt_name: "tutor", ...values });
        return put(typeof person === "number" ? { id: person } : undefined, path);
      },
    ];
  return people.flatMap((person) =>
    [1, 2].map((first) => async () => {
      undone.undo();
      const known: Record<string, unknown> = { prompt_name: "tutor", version: 1 };
      const values = new Proxy(known, { get: (_, name: string) => known[name] ?? first });
      return put(person, pathOf(operation, values));
    }),
  );
}

/** Undefined if no value of the key is visible in a response. */
async function outcomeOf(operation: Operation, key: string, open: () => Promise<Put>) {
  for (const base of basesOf(operation, key))
    for (const value of valuesOf(operation, key)) {
      const put = await open();
      const before = await put(base);
      const set = await put({ ...base, [key]: value });
      if (set === undefined || set === before) continue;
      const after = await put(base);
      // The key may be required now, as one of several.
      if (after !== undefined) return { key, set, after };
    }
  return undefined;
}

async function acceptingTargetOf(operation: Operation) {
  for (const open of targetsOf(operation))
    for (const body of [{}, ...examplesOf(operation)])
      if ((await (await open())(body)) !== undefined) return open;
  return undefined;
}

describe("a key that a PUT or PATCH leaves out", () => {
  let seen = 0;

  it.each(changes)("keeps its value: $id", async ({ operation }) => {
    const open = await acceptingTargetOf(operation);
    if (!open) return;
    for (const key of keysOf(operation)) {
      const outcome = await outcomeOf(operation, key, open);
      if (!outcome) continue;
      expect({ key, kept: outcome.after }).toEqual({ key, kept: outcome.set });
      seen += 1;
    }
  });

  it("is seen to keep its value in most cases", () => {
    expect(seen).toBeGreaterThan(150);
  });

  it("has no default", () => {
    const defaults = changes.flatMap(({ operation, id }) =>
      keysOf(operation)
        .filter((key) => "default" in (operation.body?.properties?.[key] ?? {}))
        .map((key) => `${id} ${key}`),
    );
    expect(defaults).toEqual([]);
  });
});
