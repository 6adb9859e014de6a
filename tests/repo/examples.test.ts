import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../lib/identity/auth/password-hashes.ts";
import { demoAdministrator, demoInstructor, demoStudent } from "../../scripts/dev/seed/accounts.ts";
import { seed } from "../../scripts/seed.ts";
import { askOn, type DryRun } from "../support/dry-run.ts";
import { arrangements } from "../support/example-arrangements.ts";
import { type Operation, operations, pathOf } from "../support/operations.ts";
import { openUndone, type UndoneDatabase } from "../support/undone.ts";
import { openWorld } from "../support/world.ts";

const examplesOf = ({ body: { example, examples = [] } = {} }: Operation): unknown[] =>
  example === undefined ? examples : [example];

/** Examples that have their own tests, because one statement cannot prepare them. */
const takesMore: Readonly<Record<string, readonly string[]>> = {
  "an LMS, an identity provider or a grader, and what it signs": [
    "exchangeSignInCode",
    "changeOwnSamlKey",
    "linkLtiPerson",
    "bindLtiContext",
    "readLtiTicket",
    "readLtiRoster",
    "makeLtiLinks",
    "autoGradeSubmission",
    "sendGradesToLms",
  ],
  "bytes that were sent to a store": ["completeFile", "registerScormPackage", "launchScorm", "commitScorm"],
  "answers of the tutor that are kept": [
    "createPromptTrial",
    "voteOnPromptTrialCase",
    "createPromptRollout",
    "createFlashcardFromQuestion",
    "setChatTopicTreeKey",
  ],
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
  ask = askOn({ world, personReads: [] }, undone);
});
afterAll(() => undone.close());

/** The objects with the first ids. */
const valuesAt = (id: number) =>
  new Proxy<Record<string, unknown>>(
    { prompt_name: "tutor", version: 1 },
    { get: (known, name: string) => known[name] ?? id },
  );

const placesOf = (operation: Operation) => [...new Set([1, 2].map((id) => pathOf(operation, valuesAt(id))))];

/** The response if no demonstration user can send the example to any object. Undefined if one can. */
async function refusalOf(operation: Operation, body: unknown): Promise<string | undefined> {
  const { method, contract } = operation;
  const senders = contract.access.kind === "anyone" ? [undefined] : people;
  let answered = "";
  for (const path of placesOf(operation))
    for (const person of senders) {
      const { status, text } = await ask(person, { method, path, body });
      if (status < 300) return undefined;
      answered = `${status} ${text}`;
      if (status === 422) return answered;
    }
  return answered;
}

async function arranged(operation: Operation, arrangement: SQL, body: unknown) {
  const { rows } = await undone.db.execute<Record<string, unknown>>(arrangement);
  const { person, ...values } = rows[0] ?? {};
  const path = pathOf(operation, { prompt_name: "tutor", ...values });
  const sender = typeof person === "number" ? { id: person } : undefined;
  return ask(sender, { method: operation.method, path, body });
}

describe("the examples of the API document", () => {
  const waiting = new Set(Object.values(takesMore).flat());
  const isArranged = (id: string) => Object.hasOwn(arrangements(""), id);
  const all = operations.flatMap((operation) =>
    examplesOf(operation).map((body) => ({ operation, body, id: operation.contract.id })),
  );

  it("are accepted by the demonstration as written", async () => {
    const refused: string[] = [];
    for (const { operation, body, id } of all.filter(({ id }) => !waiting.has(id) && !isArranged(id))) {
      const answer = await refusalOf(operation, body);
      if (answer !== undefined) refused.push(`${id}: ${answer}`);
    }
    expect(refused).toEqual([]);
  });

  it("succeed once their rows exist", async () => {
    const refused: string[] = [];
    expect([...waiting].filter(isArranged)).toEqual([]);
    const first = arrangements(await hashPassword("correct horse battery staple", 4));
    for (const { operation, body, id } of all) {
      const arrangement = first[id];
      if (!arrangement) continue;
      try {
        const { status, text } = await arranged(operation, arrangement, body);
        if (status >= 300 || /^data: .*"error":/m.test(text)) refused.push(`${id}: ${status} ${text}`);
      } catch (error) {
        undone.undo();
        refused.push(`${id}: ${String((error as Error).cause ?? error)}`);
      }
    }
    expect(refused).toEqual([]);
  });

  it("have the right form if they need more than the demonstration has", async () => {
    expect([...waiting].filter((id) => !all.some((one) => one.id === id))).toEqual([]);
    const [administrator] = people;
    for (const { operation, body, id } of all.filter((one) => waiting.has(one.id))) {
      const path = pathOf(operation, valuesAt(1));
      const { status, text } = await ask(administrator, { method: operation.method, path, body });
      expect(status, `${id}: ${text}`).not.toBe(422);
      expect(status, `${id}: ${text}`).toBeLessThan(500);
    }
  });
});
