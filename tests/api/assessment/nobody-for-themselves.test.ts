import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { openCourseWithStaff, rankNames } from "../../support/enrolled-staff.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

const forbidden = [403, "Not enough permissions"];

describe.each(rankNames)("no self-service by staff: a %s who is enrolled", (rank) => {
  it("cannot grant themselves time, a grade or a certificate", async () => {
    const { course, here, there, quiz, lab, holder, take, make, offering } = await openCourseWithStaff(world);
    const me = await holder(rank);
    await make.enrollment(me.id, offering.id);
    const { submission } = await take(me);
    const required = await make.course(course.university_id);
    await world
      .as(await holder("platform_admin"))
      .post(`/courses/${course.id}/prerequisites`, { prerequisite_course_id: required.id });
    const as = world.as(me);
    const reason = "Mine";
    for (const path of [here, there]) {
      const replies = [
        await as.put(`${path}/quizzes/${quiz.id}/overrides/${me.id}`, { max_attempts: 50 }),
        await as.put(`${path}/assignments/${lab.id}/overrides/${me.id}`, { max_attempts: 50 }),
        await as.post(`/assessments/certificates/offerings/${path.split("/").at(-1)}`, { user_id: me.id }),
      ];
      for (const { status, body } of replies) expect([status, body.detail]).toEqual(forbidden);
    }
    const graded = [
      await as.put(`${here}/grades/${me.id}/items/${quiz.id}`, { score: 20, reason }),
      await as.put(`${here}/grades/${me.id}/items/${lab.id}`, { is_excused: true, reason }),
      await as.put(`${here}/grades/${me.id}`, { score: 100, reason }),
      await as.put(`/assessments/submissions/${submission}/claim`),
      await as.put(`/assessments/submissions/${submission}/grade`, { score_obtained: 20 }),
      await as.post(`/assessments/submissions/${submission}/return`, { feedback: "Again" }),
    ];
    expect(graded.map(({ status }) => status)).toEqual(Array(6).fill(403));
    const excused = { prerequisite_course_id: required.id };
    for (const named of [{ user_id: me.id }, { email: me.email }]) {
      const { status, body } = await as.post(`/courses/${course.id}/exemptions`, { ...excused, ...named });
      expect([status, body.detail]).toEqual(forbidden);
    }
  });

  it("enrolls themselves by the rules that hold for all", async () => {
    const { offering, holder } = await openCourseWithStaff(world);
    const me = await holder(rank);
    const enroll = (more: object) =>
      world.as(me).post("/enrollments/", { course_offering_id: offering.id, ...more });
    const change = (values: Partial<typeof courseOfferings.$inferInsert>) =>
      world.deps.db.update(courseOfferings).set(values).where(eq(courseOfferings.id, offering.id));
    for (const named of [{ user_id: me.id }, { email: me.email }]) {
      const { status, body } = await enroll({ ...named, override: true });
      expect([status, body.detail]).toEqual(forbidden);
    }
    await change({ enrollment_mode: "KEY", enrollment_key: "open sesame" });
    expect((await enroll({ user_id: me.id })).body.detail).toBe("Wrong enrollment key");
    await change({ enrollment_mode: "STAFF" });
    expect((await enroll({ user_id: me.id })).body.detail).toBe("Only staff can enroll people here");
    await change({ enrollment_mode: "OPEN", enrollment_end: "2026-01-01T00:00:00Z" });
    expect((await enroll({ user_id: me.id })).body.detail).toBe("Enrollment is not open");
    await change({ enrollment_end: null, capacity: 1 });
    const { body, status } = await enroll({ user_id: me.id });
    expect([status, body.status]).toEqual([201, "WAITLISTED"]);
    const moved = await world.as(me).put(`/enrollments/${body.id}`, { status: "ACTIVE" });
    expect(moved.body.detail).toBe("An enrollment on the waiting list can only change to DROPPED");
  });
});

describe("an enrolled administrator of a department or above", () => {
  it.each(["department_admin", "university_admin", "platform_admin"] as const)(
    "regrades and imports for all but themselves: %s",
    async (rank) => {
      const { here, quiz, lab, pool, questions, holder, take, make, offering, learner, colleague } =
        await openCourseWithStaff(world);
      const me = await holder(rank);
      await make.enrollment(me.id, offering.id);
      const [mine, theirs] = [await take(me), await take(learner)];
      // The second and last question changed; unanswered is still wrong, but points differ.
      const question = questions[0]?.id;
      expect(pool.id).toBeGreaterThan(0);
      await world.as(colleague).put(`/assessments/questions/${question}`, { points: 5 });
      expect((await world.as(me).post(`${here}/quizzes/${quiz.id}/regrade`)).body).toEqual({ graded: 1 });
      const most = async (id: number) =>
        (await world.as(colleague).get(`/assessments/attempts/${id}`)).body.max_score;
      expect([await most(mine.attempt), await most(theirs.attempt)]).toEqual([5, 9]);
      expect((await world.as(colleague).post(`${here}/quizzes/${quiz.id}/regrade`)).body).toEqual({
        graded: 2,
      });
      expect(await most(mine.attempt)).toBe(9);
      const csv = `user_id,${lab.id} Lab\r\n${me.id},20\r\n${learner.id},12\r\n`;
      const imported = await world.as(me).post(`${here}/gradebook/import`, { csv, reason: "On paper" });
      expect(imported.body).toMatchObject({ changed: 1, refused: 1 });
      expect(imported.body.results).toMatchObject([
        { user_id: me.id, outcome: "REFUSED", detail: "You cannot grade your own work" },
        { user_id: learner.id, outcome: "CHANGED" },
      ]);
      const final = await world.as(me).post(`${here}/grades/finalize`, {});
      expect(final.body).toMatchObject({ finalized: 1 });
    },
  );

  it("cannot confirm their own completion, and reissues none of their own certificates", async () => {
    const { offering, holder, make, colleague } = await openCourseWithStaff(world);
    const me = await holder("platform_admin");
    const enrollment = await make.enrollment(me.id, offering.id);
    const done = await world.as(me).put(`/enrollments/${enrollment.id}`, { status: "COMPLETED" });
    expect(done.body).toMatchObject({ completion_source: "SELF" });
    await world.as(colleague).put(`/enrollments/${enrollment.id}`, { status: "COMPLETED" });
    const [own] = (await world.as(me).get("/assessments/certificates/mine")).body;
    const reissue = () =>
      world.as(me).post(`/assessments/certificates/issued/${own.id}/reissue`, { reason: "Lost" });
    expect((await reissue()).status).toBe(403);
    const issue = await world
      .as(me)
      .post(`/assessments/certificates/offerings/${offering.id}`, { user_id: me.id });
    expect(issue.status).toBe(403);
    const other = await world
      .as(colleague)
      .post(`/assessments/certificates/issued/${own.id}/reissue`, { reason: "Lost" });
    expect(other.status).toBe(201);
  });

  it("is neither excused nor enrolled past the rules by their own import", async () => {
    const { offering, holder, university } = await openCourseWithStaff(world);
    const me = await holder("university_admin");
    const run = async (override: boolean) => {
      const files = { "enrollments.csv": `email,course_offering_id\r\n${me.email},${offering.id}\r\n` };
      const path = `/universities/${university.id}/imports`;
      const done = await world.as(me).post(path, { format: "CSV", override, files });
      expect(done.status, done.text).toBe(201);
      return (await world.as(me).get(`${path}/${done.body.id}/results`)).body;
    };
    expect(await run(true)).toMatchObject([
      { outcome: "REFUSED", reason: "You cannot override the rules for yourself" },
    ]);
    expect(await run(false)).toMatchObject([{ outcome: "CREATED" }]);
  });
});
