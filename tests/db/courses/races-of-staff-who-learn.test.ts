import { and, eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { signGraderCall } from "../../../lib/assessment/grader-signature.ts";
import { autoGraderReaders } from "../../../schema/db/assessment/auto-graders.ts";
import { gradeChanges } from "../../../schema/db/assessment/grades.ts";
import { quizAttempts, quizOverrides } from "../../../schema/db/assessment/quiz-attempts.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { auditEvents } from "../../../schema/db/identity/audit.ts";
import { openCourseWithStaff } from "../../support/enrolled-staff.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

type Opened = Awaited<ReturnType<typeof openCourseWithStaff>>;

const enroll = ({ offering }: Opened, person: { id: number }, more = {}) =>
  world.as(person).post("/enrollments/", { course_offering_id: offering.id, ...more });

const inTurn = <T>(round: number, acts: (() => Promise<T>)[]) =>
  Promise.all((round % 2 ? acts : acts.toReversed()).map((act) => act()));

/** A grader's score for a submission, signed with that secret. */
const say = (id: number, secret: string, score = 3) => {
  const signed = world.deps.now().getTime();
  const body = { score };
  const digest = signGraderCall(secret, { at: signed, submissionId: id, body: JSON.stringify(body) });
  const headers = { "x-grader-signature": `t=${signed},v1=${digest}` };
  return world.as().request("POST", `/assessments/submissions/${id}/auto-grade`, body, { headers });
};

it("staff who enroll while they grade have graded before, or not at all", async () => {
  const opened = await openCourseWithStaff(world);
  const { here, learner, quiz, holder, offering } = opened;
  for (let round = 0; round < 8; round += 1) {
    const me = await holder("ta");
    const grade = () =>
      world.as(me).put(`${here}/grades/${learner.id}/items/${quiz.id}`, { score: round, reason: "On paper" });
    const replies = await inTurn(round, [grade, () => enroll(opened, me)]);
    expect(replies.map(({ status }) => status)).toContain(201);
    expect([200, 201, 403]).toEqual(expect.arrayContaining(replies.map(({ status }) => status)));
    expect((await grade()).status).toBe(403);
    const noted = await world.deps.db.$count(
      gradeChanges,
      and(eq(gradeChanges.course_offering_id, offering.id), eq(gradeChanges.changed_by_user_id, me.id)),
    );
    expect(noted).toBe(replies.filter(({ status }) => status === 200).length);
  }
});

it("staff who drop while they grant themselves more time have granted nothing", async () => {
  const opened = await openCourseWithStaff(world);
  const { here, quiz, holder, take } = opened;
  for (let round = 0; round < 8; round += 1) {
    const me = await holder(round % 2 ? "instructor" : "platform_admin");
    const enrollment = (await enroll(opened, me)).body;
    await take(me);
    const path = `${here}/quizzes/${quiz.id}/overrides/${me.id}`;
    const [drop, grant] = await Promise.all([
      world.as(me).put(`/enrollments/${enrollment.id}`, { status: "DROPPED" }),
      world.as(me).put(path, { max_attempts: 50 }),
      world.as(me).put(`/enrollments/${enrollment.id}`, { status: "ACTIVE" }),
    ]);
    expect([drop.status, grant.status]).toEqual([200, 403]);
    expect(await world.deps.db.$count(quizOverrides, eq(quizOverrides.user_id, me.id))).toBe(0);
  }
});

it("staff who drop and return while they read keys have read none", async () => {
  const opened = await openCourseWithStaff(world);
  const { pool, questions, holder, take } = opened;
  for (let round = 0; round < 6; round += 1) {
    const me = await holder("instructor");
    const { id } = (await enroll(opened, me)).body;
    await take(me);
    const move = (status: string) => world.as(me).put(`/enrollments/${id}`, { status });
    const read = () => world.as(me).get(`/assessments/question-pools/${pool.id}/questions`);
    const one = () => world.as(me).get(`/assessments/questions/${questions[0]?.id}`);
    const reads = await Promise.all([read(), move("DROPPED"), one(), move("ACTIVE"), read(), one()]);
    expect([0, 2, 4, 5].map((at) => reads[at]?.status)).toEqual([404, 404, 404, 404]);
  }
});

it("a word that is signed with a secret which is just renewed is taken before, or refused, and never after", async () => {
  const opened = await openCourseWithStaff(world);
  const { here, lab, learner, colleague } = opened;
  const path = `${here}/assignments/${lab.id}/auto-grader`;
  for (let round = 0; round < 8; round += 1) {
    const { secret } = (await world.as(colleague).get(path)).body;
    const handedIn = await world
      .as(learner)
      .post(`${here}/assignments/${lab.id}/submissions`, { body: `${round}` });
    const { id } = handedIn.body;
    let isRenewed = false;
    const renew = async () => {
      const reply = await world.as(colleague).post(`${path}/renew`);
      isRenewed = true;
      return reply;
    };
    const word = async () => {
      const isLate = isRenewed;
      return { isLate, reply: await say(id, secret) };
    };
    const [renewed, ...words] = await Promise.all([renew(), word(), word(), word()]);
    const late = await word();
    for (const { isLate, reply } of [...words, late]) {
      expect([200, 401]).toContain(reply.status);
      if (isLate) expect(reply.status).toBe(401);
    }
    expect(late.reply.status).toBe(401);
    expect((await say(id, renewed.body.secret)).status).toBe(200);
  }
});

it("concurrent renewals have a separate secret each, and only the last one's is valid", async () => {
  const { here, lab, colleague, holder, learner } = await openCourseWithStaff(world);
  const path = `${here}/assignments/${lab.id}/auto-grader`;
  const others = [colleague, await holder("instructor"), await holder("university_admin")];
  const renewals = await Promise.all(others.map((person) => world.as(person).post(`${path}/renew`)));
  const all = renewals.map(({ body }) => body).toSorted((one, other) => one.version - other.version);
  expect(all.map(({ version }) => version)).toEqual([2, 3, 4]);
  expect(new Set(all.map(({ secret }) => secret)).size).toBe(3);
  const { body } = await world
    .as(learner)
    .post(`${here}/assignments/${lab.id}/submissions`, { body: "Mine" });
  const said = await Promise.all(all.map(({ secret }) => say(body.id, secret)));
  expect(said.map(({ status }) => status)).toEqual([401, 401, 200]);
  const seen = (await world.as(colleague).get(path)).body;
  expect(seen).toMatchObject({ version: 4, secret: all[2]?.secret });
});

it("a reader of a secret who enrolls concurrently is among its readers, and audited", async () => {
  const opened = await openCourseWithStaff(world);
  const { here, lab, holder } = opened;
  const path = `${here}/assignments/${lab.id}/auto-grader`;
  for (let round = 0; round < 8; round += 1) {
    const me = await holder("instructor");
    const [read] = await Promise.all([world.as(me).get(path), enroll(opened, me)]);
    const isTold = read.status === 200 ? 1 : 0;
    expect(read.status).toBe(isTold ? 200 : 403);
    const { db } = world.deps;
    expect(await db.$count(autoGraderReaders, eq(autoGraderReaders.user_id, me.id))).toBe(isTold);
    const told = and(eq(auditEvents.actor_id, me.id), eq(auditEvents.action, "auto_grader.read"));
    expect(await db.$count(auditEvents, told)).toBe(isTold);
    expect((await world.as(me).get(path)).status).toBe(403);
  }
});

it("a read that is repeated after a change of its caller's roles is recorded once", async () => {
  const { here, lab, holder } = await openCourseWithStaff(world);
  const path = `${here}/assignments/${lab.id}/auto-grader`;
  const me = await holder("instructor");
  // The process has cached the caller, whose name changes to force a new read.
  await world.as(me).get("/users/me");
  await world.deps.db.execute(sql`update users set full_name = 'Renamed' where id = ${me.id}`);
  expect((await world.as(me).get(path)).body.readers).toMatchObject([{ full_name: "Renamed" }]);
  const told = and(eq(auditEvents.actor_id, me.id), eq(auditEvents.action, "auto_grader.read"));
  expect(await world.deps.db.$count(auditEvents, told)).toBe(1);
});

it("staff who enroll themselves with an override while a seat frees are enrolled by the rules, once", async () => {
  const opened = await openCourseWithStaff(world);
  const { offering, holder, make, course, colleague } = opened;
  await world.as(colleague).put(`/courses/${course.id}/offerings/${offering.id}`, { capacity: 1 });
  const former = await make.person();
  const taken = await world.deps.db
    .select({ id: enrollments.id })
    .from(enrollments)
    .where(eq(enrollments.course_offering_id, offering.id));
  expect(taken).toHaveLength(1);
  for (let round = 0; round < 4; round += 1) {
    const me = await holder(round % 2 ? "ta" : "university_admin");
    const [own, past] = await Promise.all([
      enroll(opened, me),
      enroll(opened, me, { user_id: me.id, override: true }),
      enroll(opened, former),
    ]);
    expect([own.status, own.body.status, past.status]).toEqual([201, "WAITLISTED", 403]);
    expect((await enroll(opened, me, { email: me.email, override: true })).status).toBe(403);
  }
});

it("staff who regrade while they submit have all attempts regraded but their own", async () => {
  const opened = await openCourseWithStaff(world);
  const { here, quiz, questions, colleague, learner, holder, take } = opened;
  const theirs = await take(learner);
  for (let round = 0; round < 4; round += 1) {
    const me = await holder("university_admin");
    await enroll(opened, me);
    const attempt = (await world.as(me).post(`${here}/quizzes/${quiz.id}/attempts`)).body;
    const points = round + 2;
    await world.as(colleague).put(`/assessments/questions/${questions[0]?.id}`, { points });
    await inTurn<unknown>(round, [
      () => world.as(me).post(`/assessments/attempts/${attempt.id}/submit`, { responses: [] }),
      () => world.as(me).post(`${here}/quizzes/${quiz.id}/regrade`),
    ]);
    const most = async (id: number) =>
      (
        await world.deps.db
          .select({ most: quizAttempts.max_score })
          .from(quizAttempts)
          .where(eq(quizAttempts.id, id))
      )[0]?.most;
    expect(await most(theirs.attempt)).toBe(4 + points);
    // Drawn before the question's points changed.
    expect(await most(attempt.id)).toBe(attempt.max_score);
    await world.as(colleague).post(`${here}/quizzes/${quiz.id}/regrade`);
    expect(await most(attempt.id)).toBe(4 + points);
  }
});
