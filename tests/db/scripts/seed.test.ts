import { asc, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { universities } from "../../../schema/db/identity/universities.ts";
import { demoAccounts, demoPassword, demoStudent } from "../../../scripts/dev/seed/accounts.ts";
import { seed } from "../../../scripts/seed.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const options = { now: new Date("2026-03-10T12:00:00Z"), bcryptCost: 4 };

describe("the demonstration", () => {
  it("fills an empty database, and leaves any other alone", async () => {
    expect(await seed(world.deps.db, options)).toBe(true);
    expect(await seed(world.deps.db, options)).toBe(false);
    expect(await world.deps.db.$count(universities)).toBe(2);
  });

  it("accepts the password that the console shows for every account", async () => {
    for (const { email } of demoAccounts) {
      const answer = await world.as().post("/auth/login", { email, password: demoPassword });
      expect(answer.status, email).toBe(200);
    }
  });

  it("has content of every type", async () => {
    const items = await world.deps.db
      .select({ type: contentTypes.name })
      .from(contentItems)
      .innerJoin(contentTypes, eq(contentTypes.id, contentItems.content_type_id))
      .orderBy(asc(contentItems.id));
    expect(new Set(items.map(({ type }) => type)).size).toBe(6);
    expect(items.length).toBeGreaterThanOrEqual(14);
  });

  it("can be learned from: a student sees courses, enrolls and opens a topic", async () => {
    const signedIn = await world.as().post("/auth/login", demoStudent);
    const headers = { authorization: `Bearer ${signedIn.body.access_token}` };
    const courses = await world.as().get("/courses/", { headers });
    expect(courses.body.map((course: { code: string }) => course.code)).toEqual([
      "CS-101",
      "EE-101",
      "EE-201",
      "FIS-110",
    ]);
    const session = await world.as().post("/chat/sessions", { content_item_id: 1 }, { headers });
    expect(session.status).toBe(201);
    const mine = await world.as().get("/enrollments/my-enrollments", { headers });
    expect(mine.body).toHaveLength(2);
  });

  it("has a quiz passed, an exam, and a certificate that anyone can verify", async () => {
    const email = "noor@northgate.example";
    const signedIn = await world.as().post("/auth/login", { email, password: demoPassword });
    const headers = { authorization: `Bearer ${signedIn.body.access_token}` };
    const attempts = await world.as().get("/assessments/my-attempts", { headers });
    expect(attempts.body).toMatchObject([{ passed: true, score_obtained: 3, max_score: 3 }]);
    const mine = await world.as().get("/assessments/certificates/mine", { headers });
    expect(mine.body).toMatchObject([{ printed_name: "Noor Haddad", state: "VALID" }]);
    const code = mine.body[0].certificate_code;
    const told = await world.as().get(`/assessments/certificates/verify/${code}`);
    expect(told.body).toMatchObject({ state: "VALID", university_name: "Northgate University" });
    const exams = await world.deps.db
      .select({ title: contentItems.title })
      .from(contentItems)
      .where(sql`data_json ->> 'quiz_mode' = 'exam'`);
    expect(exams).toEqual([{ title: "Signals: the exam" }]);
  });

  it("has a question with its answer, a note, and cards that are due", async () => {
    const signedIn = await world.as().post("/auth/login", demoStudent);
    const headers = { authorization: `Bearer ${signedIn.body.access_token}` };
    const read = async (path: string) => (await world.as().get(path, { headers })).body;
    expect(await read("/study/notes")).toHaveLength(1);
    const enrollments: { course_offering_id: number; course_offering: { course: { code: string } } }[] =
      await read("/enrollments/my-enrollments");
    const signals = enrollments.find((one) => one.course_offering.course.code === "EE-101");
    const threads = await read(`/community/offerings/${signals?.course_offering_id}/threads`);
    expect(threads).toMatchObject([
      { post_count: 1, answer_post_id: null },
      { post_count: 3, answer_post_id: expect.any(Number) },
    ]);
    expect(await read("/study/decks")).toMatchObject([{ due_count: 2 }]);
  });
});
