import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { errorMessageTemplates } from "../../lib/error-codes.ts";
import { userUniversityRoles } from "../../schema/db/identity/roles.ts";
import { users } from "../../schema/db/identity/users.ts";
import { askedOnce } from "../support/asked-once.ts";
import type { Person, Reply } from "../support/client.ts";
import { openDryRun } from "../support/dry-run.ts";
import { makersOf } from "../support/makers.ts";
import { bodyOf, fullAddressOf, type Operation, operations } from "../support/operations.ts";
import { allOr } from "../support/representatives.ts";
import { keepAllSecret, secret } from "../support/tenant-secrets.ts";
import type { UniversityFixture } from "../support/university.ts";
import type { World } from "../support/world.ts";

/** Marks everything of the university as `secret`, except the caller's identity. */
async function prepare(world: World, university: UniversityFixture, { isPlatformAdmin = true } = {}) {
  const { db } = world.deps;
  const { university_id } = university.scope;
  const held = university.people.find(({ name }) => name === "student of another university")?.held;
  const elsewhere = held?.university_id ?? 0;
  const make = makersOf(world);
  const twin: Person = await make.holder("university_admin", elsewhere);
  const { id } = university.learner;
  const administers = { user_id: id, role: "UNIVERSITY_ADMIN" as const };
  await db
    .insert(userUniversityRoles)
    .values([
      { ...administers, university_id: elsewhere },
      { ...administers, university_id },
      ...(isPlatformAdmin ? [{ user_id: id, university_id, role: "PLATFORM_ADMIN" as const }] : []),
    ]);
  await keepAllSecret(world, university);
  await db.update(users).set({ full_name: "Plain", email: "plain@example.edu" }).where(eq(users.id, id));
  await db.execute(sql`update notifications set read_at = null where user_id = ${id}`);
  const limited: Person = { id, reach: { university_id: elsewhere } };
  return { limited, twin };
}

/**
 * `limited` administers the platform, the university and another one, with a token for the other one.
 * `twin` administers only the other one.
 */
let people: Awaited<ReturnType<typeof prepare>>;
const dryRun = openDryRun(async (world, university) => {
  people = await prepare(world, university);
});
const unlimited = openDryRun((world, university) => prepare(world, university));

/** Requests name another person if the caller cannot act on themselves. */
const askAt = ({ ask, university }: typeof dryRun, operation: Operation, person: Person) =>
  ask(person, {
    method: operation.method,
    path: fullAddressOf(operation, {
      ...university.paths,
      ...(operation.method === "PATCH" && { user_id: university.fields["user_id"] }),
    }),
    body: bodyOf(operation, university.fields),
  });

const told = (reply: Reply): string => JSON.stringify([reply.status, [...reply.headers], reply.text]);

describe("the token of a sign-in by one university's provider", () => {
  const askHere = askedOnce((operation, person: Person) => askAt(dryRun, operation, person));

  it.each(operations)(
    "reads nothing of another university, and nothing of the platform's: $name",
    async (operation) => {
      expect(told(await askHere(operation, people.limited))).not.toMatch(secret);
    },
  );

  // Personal data outside universities requires a full token.
  it.each(operations)(
    "allows no more there than a person of its university has: $name",
    async (operation) => {
      const reply = await askHere(operation, people.limited);
      if (reply.status === 403 && reply.body.detail === errorMessageTemplates.account_out_of_reach) return;
      expect(reply.status, reply.text).toBe((await askHere(operation, people.twin)).status);
    },
  );

  // Except the caller's own profile and list entry.
  const reads = operations.filter(
    ({ method, contract: { id } }) => method === "GET" && id !== "getMyProfile" && id !== "listUsers",
  );
  const withoutStreak = (text: string) => text.replace(/"current_streak(_days)?":(\d+|null)/, "");

  it.each(reads)(
    "finds none of the person's data there either, with or without a search: $name",
    async (operation) => {
      const own = await askHere(operation, people.limited);
      if (own.status !== 200) return;
      const { text } = await askHere(operation, people.twin);
      expect(withoutStreak(own.text)).toBe(withoutStreak(text));
    },
  );

  it("is the reason of the rejections: by their password they read and do the same", async () => {
    const opened: string[] = [];
    // In `npm test` each fourth operation, as a sample.
    const tried = allOr(operations, () => operations.filter((_, at) => at % 4 === 0));
    for (const operation of tried) {
      const { id } = unlimited.university.learner;
      const reply = await askAt(unlimited, operation, { id });
      if (secret.test(told(reply)) || reply.status < 300) opened.push(operation.name);
    }
    expect(opened.length).toBeGreaterThan(tried.length / 2);
  });
});

describe("a token of another provider than the university requires", () => {
  let here: Awaited<ReturnType<typeof prepare>>;
  const asking = openDryRun(async (world, university) => {
    here = await prepare(world, university, { isPlatformAdmin: false });
    const { db } = world.deps;
    await db.execute(
      sql`update universities set requires_own_provider = true where id = ${university.scope.university_id}`,
    );
    // Personal data outside universities is available with every sign-in.
    await db.execute(sql`update flashcard_decks set title = 'Plain', description = null`);
  });
  const askThere = askedOnce((operation, person: Person) => askAt(asking, operation, person));
  const whole = ({ limited: { id } }: typeof here): Person => ({ id });
  const others = operations.filter(({ contract: { id } }) => id !== "exportMyData");

  it.each(others)("reads nothing of that university: $name", async (operation) => {
    expect(told(await askThere(operation, whole(here)))).not.toMatch(secret);
  });

  // The rejection names the provider; decks and calendars belong to no university.
  const ofNone = /^(GET|PUT|DELETE) .+decks\/|^GET .+calendar$/;
  it.each(others)("allows no more there than an unrelated person has: $name", async (operation) => {
    const reply = await askThere(operation, whole(here));
    if (ofNone.test(operation.name)) return;
    if (reply.status === 403)
      expect(reply.body.detail).toMatch(/its own identity provider|^This requires a sign-in in the last/);
    expect(reply.status, reply.text).toBe((await askThere(operation, here.twin)).status);
  });
});
