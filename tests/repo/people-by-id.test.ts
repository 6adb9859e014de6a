import { describe, expect, it } from "vitest";
import { openDryRun } from "../support/dry-run.ts";
import { makersOf } from "../support/makers.ts";
import {
  addressOf,
  bodyOf,
  type IdField,
  idFieldsOf,
  type Operation,
  operations,
  withValue,
} from "../support/operations.ts";
import { addresseeOf, addressees } from "../support/own-people.ts";
import { allOr } from "../support/representatives.ts";
import type { Holder } from "../support/university.ts";
import type { World } from "../support/world.ts";

/** An unused id. */
const nobody = 2_000_000_000;

/** Ids without a relation to the university: unused, and of people elsewhere, by kind. */
const strangers: { kind: string; id: number }[] = [];

const dryRun = openDryRun(async (world) => {
  const university = (await makersOf(world).university()).id;
  for (const kind of addressees) {
    const { id = nobody } = await addresseeOf(makersOf(world), kind);
    if (kind === "of another university" || kind === "deactivated") await takeIn(world, university, id);
    strangers.push({ kind, id });
  }
});

/** Gives a person an enrollment, a role and a log entry there. */
async function takeIn(world: World, university: number, user_id: number): Promise<void> {
  const make = makersOf(world);
  await make.enrollment(user_id, (await make.offering(await make.course(university))).id);
  const admin = world.as(await make.holder("university_admin", university));
  const given = await admin.post(`/universities/${university}/roles`, { user_id, role: "TA" });
  expect(given.status, given.text).toBe(201);
}

const idFields = operations.flatMap((operation) =>
  idFieldsOf(operation)
    .filter(({ name }) => /(^|_)user_ids?$/.test(name))
    .map((field) => ({ name: `${operation.name} ${field.path.join(".")}`, operation, field })),
);

const emptyList = "of this person the list is empty, as of nobody";

/** Operations that respond the same for members and unused ids, and why. All others must distinguish them. */
const sameForAll: Record<string, string> = {
  "DELETE /universities/{university_id}/accommodations/{user_id} user_id":
    "whom the university gave that office alone may, whoever it is",
  "GET /assessments/certificates/offerings/{offering_id} user_id": emptyList,
  "GET /assessments/offerings/{offering_id}/grade-changes user_id": emptyList,
  "GET /assessments/offerings/{offering_id}/submissions user_id": emptyList,
  "GET /courses/{course_id}/exemptions user_id": emptyList,
  "GET /universities/{university_id}/roles user_id": emptyList,
  "PATCH /users/{user_id} user_id": "the platform alone may, whoever it is",
  "POST /assessments/certificates/offerings/{offering_id} user_id":
    "this person has completed nothing either",
  "POST /assessments/offerings/{offering_id}/grades/reopen user_ids": "nothing of this person's is final",
  "POST /assessments/offerings/{offering_id}/grades/send-to-lms user_ids":
    "no LMS has a column for this offering, whoever it is",
  "POST /universities/{university_id}/data-requests user_id":
    "whom the university gave that office alone may, whoever it is",
  "POST /universities/{university_id}/retention/holds user_id":
    "whom the university gave that office alone may, whoever it is",
  "PUT /universities/{university_id}/accommodations user_id":
    "whom the university gave that office alone may, whoever it is",
};

/** Sends the usual request about a member, or with another id. */
function ask(operation: Operation, caller: Holder, { name, ...field }: IdField, id?: number) {
  const values = { ...dryRun.university.fields, ...dryRun.university.paths };
  const body = bodyOf(operation, values);
  const isOther = id !== undefined;
  return dryRun.ask(caller, {
    method: operation.method,
    path: addressOf(operation, isOther && field.in !== "body" ? { ...values, [name]: id } : values),
    body: isOther && field.in === "body" ? withValue(body, field.path, name.endsWith("s") ? [id] : id) : body,
  });
}

const holderOf = (role: string): Holder => {
  const found = dryRun.university.people.find(({ name }) => name === `${role} of the university`);
  if (!found) throw new Error(`nobody is ${role} of the university`);
  return found;
};

const withoutId = ({ status, text }: { status: number; text: string }, id?: number) =>
  `${status} ${text.replaceAll(new RegExp(`\\b${id}\\b`, "g"), "…")}`;

describe("a person named by id from outside of the university", () => {
  it.each(idFields)(
    "is not distinguishable from a missing one, and stays unchanged: $name",
    async ({ operation, field }) => {
      // In `npm test` only the caller with the most rights, whose requests get furthest.
      const callers = allOr(["university_admin", "instructor", "ta"], () => ["university_admin"]);
      for (const caller of callers.map(holderOf)) {
        const answers = new Map<string, string>();
        for (const { kind, id } of strangers) {
          const reply = await ask(operation, caller, field, id);
          answers.set(kind, withoutId(reply, id));
          expect(reply.wrote, `${caller.name}, ${kind}`).toBe(false);
        }
        for (const [kind, answer] of answers)
          expect(answer, `${caller.name}, ${kind}`).toBe(answers.get("unknown"));
      }
    },
  );

  it("gets another response than the university's own, so each request reaches the person", async () => {
    const same: string[] = [];
    for (const { name, operation, field } of idFields) {
      const administrator = holderOf("university_admin");
      const own = withoutId(await ask(operation, administrator, field));
      if (own === withoutId(await ask(operation, administrator, field, nobody), nobody)) same.push(name);
    }
    expect(same.sort()).toEqual(Object.keys(sameForAll).sort());
  });
});

describe("staff's reads of one named person", () => {
  const reads = operations.filter(({ contract }) => contract.method === "get");
  const names = ({ parameters }: Operation) => parameters.some(({ name }) => name === "user_id");

  /** As a platform administrator, about a person or about none. */
  const readsNoted = async (operation: Operation, user_id: number | undefined, caller: Holder) => {
    const values = { ...dryRun.university.fields, ...dryRun.university.paths, user_id };
    dryRun.personReads.length = 0;
    const { status } = await dryRun.ask(caller, { method: "GET", path: addressOf(operation, values) });
    return { status, noted: [...dryRun.personReads] };
  };

  it.each(reads.filter(names))("is told to the audit log: $name", async (operation) => {
    const person = Number(dryRun.university.paths["user_id"]);
    const admin = holderOf("platform_admin");
    const { status, noted } = await readsNoted(operation, person, admin);
    expect(status).toBe(200);
    const line = { actor: admin.id, person, operation: expect.stringMatching(/^GET \/api/) };
    // Reads recorded by their own statement are not recorded twice.
    if (operation.contract.writes === "audit") expect(noted).toEqual([]);
    else expect(noted).toMatchObject([line]);
    expect((await readsNoted(operation, admin.id, admin)).noted).toEqual([]);
    const student = holderOf("student");
    expect((await readsNoted(operation, person, student)).noted).toEqual([]);
  });

  it("exclude lists of everyone, and the caller's own data", async () => {
    expect(reads.filter(names).length).toBeGreaterThan(10);
    const told: string[] = [];
    for (const operation of reads)
      if (
        !operation.path.includes("{user_id}") &&
        (await readsNoted(operation, undefined, holderOf("platform_admin"))).noted.length
      )
        told.push(operation.name);
    expect(told).toEqual([]);
  });
});
