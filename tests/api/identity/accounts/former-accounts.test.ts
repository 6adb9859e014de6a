import { createHmac } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { findOrCreateUserOfIdentity } from "../../../../lib/identity/auth/identities.ts";
import {
  getOrCreateAccountHashKey,
  reencryptAccountHashKey,
} from "../../../../lib/identity/identities/former-accounts.ts";
import { processImports } from "../../../../lib/integrations/imports/work.ts";
import { formerAccounts } from "../../../../schema/db/identity/former-accounts.ts";
import { sourcedPeople } from "../../../../schema/db/integrations/imports.ts";
import { eraseAccountOf } from "../../../support/erase.ts";
import { openLab } from "../../../support/lab.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openQuiz } from "../../assessment/exam.ts";

const world = openWorld();
const make = makersOf(world);
const mailbox = mailboxOf(world);
const password = "correct horse";

beforeEach(() => world.setNow("2026-03-10T12:00:00Z"));

type Person = { id: number };
type Quiz = Awaited<ReturnType<typeof openQuiz>>;

async function comeAgain(email: string, { offering }: Pick<Quiz, "offering">): Promise<Person> {
  const person = await register(email);
  expect((await world.as(person).post("/enrollments/", { course_offering_id: offering.id })).status).toBe(
    201,
  );
  return person;
}

async function register(email: string): Promise<Person> {
  const made = await world.as().post("/auth/register", { email, password, full_name: "Someone" });
  expect(made.status).toBe(201);
  const headers = { authorization: `Bearer ${made.body.access_token}` };
  return { id: (await world.as().get("/users/me", { headers })).body.id };
}

/** An exam with one attempt. Its learner failed and then erased their account. */
async function failedExam() {
  const exam = await openQuiz(world, { quiz_mode: "exam" });
  expect((await exam.submit((await exam.start()).body.id)).body.passed).toBe(false);
  return exam;
}

const isRefused = async (exam: Quiz, person: Person) => {
  const reply = await exam.start(person);
  expect(reply.status, JSON.stringify(reply.body)).toBe(400);
  expect(reply.body.detail).toBe("No attempt at this quiz is left");
};

describe("a person who returns after an erasure", () => {
  it("by the same unverified address has the earlier attempts counted, and sees none of them", async () => {
    const exam = await failedExam();
    expect(await eraseAccountOf(world, exam.learner)).toBe(204);
    const again = await comeAgain(exam.learner.email, exam);
    await isRefused(exam, again);
    expect((await world.as(again).get(exam.quiz)).body).toMatchObject({ attempts_taken: 1 });
    expect((await world.as(again).get("/assessments/my-attempts")).body).toEqual([]);
    const { course, offering } = exam;
    const outline = await world.as(again).get(`/courses/${course.id}/offerings/${offering.id}/outline`);
    expect(outline.body.modules[0].items[0].attempt).toBeNull();
    const home = await world.as(again).get("/users/me/home");
    expect(home.body.courses[0].next_item).toBeNull();
    const exported = await world.as(again).get("/users/me/export");
    expect(exported.text).not.toContain(`"user_id": ${exam.learner.id},`);
    const rows = (await world.as(exam.teacher).get(`/assessments/offerings/${offering.id}/gradebook`)).body
      .rows;
    expect(rows.map((row: { user_id: number }) => row.user_id).toSorted()).toEqual(
      [exam.learner.id, again.id].toSorted(),
    );
  });

  it("by another address is another person", async () => {
    const exam = await failedExam();
    await eraseAccountOf(world, exam.learner);
    const other = await comeAgain(`${make.unique("other")}@example.edu`, exam);
    expect((await exam.start(other)).status).toBe(201);
  });

  it("by the university's id, with any address", async () => {
    const exam = await failedExam();
    const sourced = { university_id: exam.university.id, sourced_id: make.unique("s") };
    await world.deps.db.insert(sourcedPeople).values({ ...sourced, user_id: exam.learner.id });
    await eraseAccountOf(world, exam.learner);
    const email = `${make.unique("another")}@example.edu`;
    const admin = world.as(await make.holder("university_admin", exam.university.id));
    const files = {
      "people.csv": `email,full_name,sourced_id\r\n${email},Someone,${sourced.sourced_id}\r\n`,
      "enrollments.csv": `sourced_id,course_offering_id\r\n${sourced.sourced_id},${exam.offering.id}\r\n`,
    };
    const imported = await admin.post(`/universities/${exam.university.id}/imports`, {
      format: "CSV",
      files,
    });
    expect(imported.body).toMatchObject({ refused: 0, created: 2 });
    await processImports(world.deps, new AbortController().signal);
    const found = await world.deps.db
      .select()
      .from(formerAccounts)
      .where(eq(formerAccounts.former_user_id, exam.learner.id));
    expect(found).toHaveLength(1);
    await isRefused(exam, { id: found[0]?.user_id ?? 0 });
  });

  it("by the same sign-in at a provider, with any address", async () => {
    const exam = await failedExam();
    const identity = { provider: "campus", subject: make.unique("sub"), full_name: "Someone" };
    await world.deps.db.execute(sql`
      insert into user_identities (user_id, provider, subject)
      values (${exam.learner.id}, ${identity.provider}, ${identity.subject})`);
    await eraseAccountOf(world, exam.learner);
    const email = `${make.unique("another")}@example.edu`;
    const { id } = await findOrCreateUserOfIdentity(world.deps.db, { ...identity, email });
    await world.as({ id }).post("/enrollments/", { course_offering_id: exam.offering.id });
    await isRefused(exam, { id });
  });

  it("erased and registered again and again, is the same each time", async () => {
    const exam = await openQuiz(world, { quiz_mode: "exam", mastery: { max_attempts: 3 } });
    let person: Person = exam.learner;
    for (let taken = 1; taken <= 3; taken += 1) {
      expect((await exam.submit((await exam.start(person)).body.id, [], person)).status).toBe(200);
      expect(await eraseAccountOf(world, person, taken > 1 ? { password } : {})).toBe(204);
      person = await comeAgain(exam.learner.email, exam);
    }
    await isRefused(exam, person);
    const found = await world.deps.db
      .select()
      .from(formerAccounts)
      .where(eq(formerAccounts.user_id, person.id));
    expect(found).toHaveLength(3);
  });

  it("is recognized by the address before a change, and by the one after it", async () => {
    const exam = await failedExam();
    await eraseAccountOf(world, exam.learner);
    const second = await register(exam.learner.email);
    const email = `${make.unique("changed")}@example.edu`;
    await world.as(second).post("/users/me/email", { email, current_password: password });
    const token = await mailbox.tokenFor(email);
    expect((await world.as(second).post("/auth/verify-email", { token })).status).toBe(204);
    const before = { id: second.id, token_version: 0 };
    expect(
      (await world.as(before).post("/enrollments/", { course_offering_id: exam.offering.id })).status,
    ).toBe(201);
    await isRefused(exam, before);
    // The first address was unused when the second account was erased; it is found through that account.
    expect(await eraseAccountOf(world, before, { password })).toBe(204);
    await isRefused(exam, await comeAgain(email, exam));
  });

  it("has an attempt at a lab counted that was graded, and none that was not", async () => {
    const { submit, grade, learner, offering } = await openLab(world, { max_attempts: 2 });
    await grade((await submit({ body: "First" })).body.id, 10);
    await submit({ body: "Second" });
    await eraseAccountOf(world, learner);
    const again = await comeAgain(learner.email, { offering });
    expect((await submit({ body: "Third" }, again)).status).toBe(201);
    const refused = await submit({ body: "Fourth" }, again);
    expect([refused.status, refused.body.detail]).toEqual([400, "No attempt is left"]);
  });

  it("by an offer of staff is recognized immediately", async () => {
    const exam = await failedExam();
    await eraseAccountOf(world, exam.learner);
    const again = await register(exam.learner.email);
    await world.deps.db.execute(sql`update users set email_verified_at = now() where id = ${again.id}`);
    const body = { course_offering_id: exam.offering.id, email: exam.learner.email };
    const { offer } = (await world.as(exam.teacher).post("/enrollments/", body)).body;
    expect((await world.as(again).post(`/users/me/offers/${offer.id}/accept`)).status).toBe(200);
    expect(
      await world.deps.db.select().from(formerAccounts).where(eq(formerAccounts.user_id, again.id)),
    ).toEqual([{ user_id: again.id, former_user_id: exam.learner.id }]);
  });
});

describe("the key of the hashes", () => {
  const secrets = {
    SECRET_KEY: "a secret of the tests, long enough for HS256",
    SECRET_KEY_PREVIOUS: undefined,
  };
  const hashes = async () => {
    const { rows } = await world.deps.db.execute(sql`select identifier from erased_identifiers order by id`);
    return rows.map(({ identifier }) => String(identifier));
  };

  it("is that of HMAC-SHA-256, and the address is stored nowhere", async () => {
    const person = await make.person();
    await eraseAccountOf(world, person);
    const blocks = Buffer.from((await getOrCreateAccountHashKey(world.deps.db, secrets)).slice(2), "hex");
    const key = blocks.subarray(0, 32).map((byte) => byte ^ 0x36);
    const hash = createHmac("sha256", key).update(`address ${person.email}`).digest("hex");
    expect(await hashes()).toContain(hash);
  });

  it("stays the same while SECRET_KEY is rotated, and after", async () => {
    const { db } = world.deps;
    // Separate objects, as separate processes would have.
    const keyOf = (own: Parameters<typeof getOrCreateAccountHashKey>[1]) =>
      getOrCreateAccountHashKey(Object.create(db), own);
    const before = await keyOf(secrets);
    const SECRET_KEY = "another secret of the tests, as long as that one";
    const during = { SECRET_KEY, SECRET_KEY_PREVIOUS: secrets.SECRET_KEY };
    expect(await keyOf(during)).toBe(before);
    expect(await reencryptAccountHashKey(db, during)).toBe(true);
    expect(await keyOf(during)).toBe(before);
    expect(await keyOf({ SECRET_KEY, SECRET_KEY_PREVIOUS: undefined })).toBe(before);
    await reencryptAccountHashKey(db, { SECRET_KEY: secrets.SECRET_KEY, SECRET_KEY_PREVIOUS: SECRET_KEY });
  });

  it("is created once by concurrent callers", async () => {
    const { db } = world.deps;
    const own = {
      SECRET_KEY: "a third secret of the tests, as long as those are",
      SECRET_KEY_PREVIOUS: undefined,
    };
    const keys = await Promise.all(
      Array.from({ length: 8 }, () => getOrCreateAccountHashKey(Object.create(db), own)),
    );
    expect(new Set(keys).size).toBe(1);
  });
});
