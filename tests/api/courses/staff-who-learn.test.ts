import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import type { Client } from "../../support/client.ts";
import { bound, openCourseWithStaff, type Rank } from "../../support/enrolled-staff.ts";
import { allOr } from "../../support/representatives.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

type Opened = Awaited<ReturnType<typeof openCourseWithStaff>>;
type Reply = Awaited<ReturnType<Client["get"]>>;

/** A ta's additional rights in the offering, each with a fresh target. */
async function actsOfStaff(opened: Opened) {
  const { here, quiz, lab, course, offering, learner, colleague, take, make } = opened;
  const { attempt, submission } = await take(learner);
  const run = `/courses/${course.id}/offerings/${offering.id}`;
  const newcomer = await make.holder("student", opened.university.id);
  const of = (path: string) => `/community/offerings/${offering.id}/${path}`;
  const thread = (await world.as(learner).post(of("threads"), { title: "T", body: "B" })).body;
  const early = { title: "Soon", body: "B", published_at: "2031-01-01T00:00:00Z" };
  const announced = (await world.as(colleague).post(of("announcements"), early)).body;
  const reason = "On paper";
  const acts: Record<string, (as: Client) => Promise<Reply>> = {
    attempts: (as) => as.get(`${here}/quizzes/${quiz.id}/attempts`),
    "another's attempt": (as) => as.get(`/assessments/attempts/${attempt}`),
    overrides: (as) => as.get(`${here}/quizzes/${quiz.id}/overrides`),
    override: (as) => as.put(`${here}/quizzes/${quiz.id}/overrides/${learner.id}`, { max_attempts: 9 }),
    regrade: (as) => as.post(`${here}/quizzes/${quiz.id}/regrade`),
    submissions: (as) => as.get(`${here}/submissions`),
    "another's submission": (as) => as.get(`/assessments/submissions/${submission}`),
    "override of work": (as) =>
      as.put(`${here}/assignments/${lab.id}/overrides/${learner.id}`, { max_attempts: 9 }),
    claim: (as) => as.put(`/assessments/submissions/${submission}/claim`),
    "giving a claim up": (as) => as.delete(`/assessments/submissions/${submission}/claim`),
    grade: (as) => as.put(`/assessments/submissions/${submission}/grade`, { score_obtained: 3 }),
    return: (as) => as.post(`/assessments/submissions/${submission}/return`, { feedback: "Again" }),
    gradebook: (as) => as.get(`${here}/gradebook`),
    "gradebook as CSV": (as) => as.get(`${here}/gradebook?format=csv`),
    changes: (as) => as.get(`${here}/grade-changes`),
    "item's grade": (as) => as.put(`${here}/grades/${learner.id}/items/${quiz.id}`, { score: 3, reason }),
    import: (as) =>
      as.post(`${here}/gradebook/import`, {
        csv: `user_id,${lab.id} Lab\r\n${learner.id},12\r\n`,
        reason,
      }),
    roster: (as) => as.get(`${run}/enrollments`),
    "another's outline": (as) => as.get(`${run}/outline?user_id=${learner.id}`),
    enrolling: (as) =>
      as.post("/enrollments/", { course_offering_id: offering.id, user_id: newcomer.id, override: true }),
    certificates: (as) => as.get(`/assessments/certificates/offerings/${offering.id}`),
    "settings of certificates": (as) => as.get(`/assessments/certificates/offerings/${offering.id}/settings`),
    "reports of posts": (as) => as.get(of("reports")),
    "thread's lock": (as) => as.put(`/community/threads/${thread.id}`, { is_locked: false }),
    "thread's title": (as) => as.put(`/community/threads/${thread.id}`, { is_pinned: true }),
    announcing: (as) => as.post(of("announcements"), { title: "T", body: "B" }),
    "early announcement": (as) => as.get(`/community/announcements/${announced.id}`),
    inviting: (as) =>
      as.post(`/universities/${opened.university.id}/invitations`, {
        email: `${make.unique("friend")}@example.edu`.toLowerCase(),
        course_offering_id: offering.id,
      }),
  };
  return acts;
}

/** An instructor's additional rights. */
function actsOfInstructors({ here, lab, course, offering, learner }: Opened) {
  const run = `/courses/${course.id}/offerings/${offering.id}`;
  const acts: Record<string, (as: Client) => Promise<Reply>> = {
    offering: (as) => as.put(run, { capacity: 40 }),
    scheme: (as) => as.put(`${here}/grading-scheme`, {}),
    release: (as) => as.post(`${here}/grades/release`, {}),
    finalize: (as) => as.post(`${here}/grades/finalize`, {}),
    reopen: (as) => as.post(`${here}/grades/reopen`, { reason: "A mistake" }),
    "course's grade": (as) => as.put(`${here}/grades/${learner.id}`, { score: 3, reason: "On paper" }),
    "settings of certificates": (as) =>
      as.put(`/assessments/certificates/offerings/${offering.id}/settings`, { issuance: "BY_STAFF" }),
    "grader's secret": (as) => as.get(`${here}/assignments/${lab.id}/auto-grader`),
    "grader's renewal": (as) => as.post(`${here}/assignments/${lab.id}/auto-grader/renew`),
  };
  return acts;
}

/** Reads of the course's answer keys, which are also closed to learners of its other offerings. */
function readsOfKeys({ pool, questions, quiz, course }: Opened) {
  const at = `/assessments/question-pools/${pool.id}`;
  const reads: Record<string, (as: Client) => Promise<Reply>> = {
    pool: (as) => as.get(at),
    questions: (as) => as.get(`${at}/questions`),
    question: (as) => as.get(`/assessments/questions/${questions[0]?.id}`),
    versions: (as) => as.get(`/assessments/questions/${questions[0]?.id}/versions`),
    export: (as) => as.get(`${at}/export`),
    QTI: (as) => as.get(`${at}/export/qti`),
    statistics: (as) => as.get(`${at}/statistics`),
    tree: (as) => as.get(`/chat/topics/${quiz.id}/tree`),
    pools: async (as) => {
      const reply = await as.get(`/assessments/question-pools?course_id=${course.id}`);
      return { ...reply, status: reply.body.length > 0 ? reply.status : 404 };
    },
  };
  return reads;
}

async function statusesOf(acts: Record<string, (as: Client) => Promise<Reply>>, person: { id: number }) {
  const replies: Record<string, number> = {};
  for (const [name, act] of Object.entries(acts)) replies[name] = (await act(world.as(person))).status;
  return replies;
}

/** 404: hidden from learners. */
const refused = (statuses: Record<string, number>) =>
  Object.entries(statuses).flatMap(([name, status]) =>
    [403, 404].includes(status) ? [] : [`${name} ${status}`],
  );
const failed = (statuses: Record<string, number>) =>
  Object.entries(statuses).flatMap(([name, status]) => (status >= 400 ? [`${name} ${status}`] : []));

const isInstructor = (rank: string) => /instructor|teaches|admin/.test(rank);

/** In `npm test` one per kind of staff: of the university, a department and the offering. */
const asked = allOr<Rank>(bound, () => [
  "ta",
  "instructor of the department",
  "ta of a department who teaches the offering",
]);

describe.each(asked)("a %s who learns in an offering", (rank) => {
  it("has no right of staff there, and reads no keys of the course", async () => {
    const opened = await openCourseWithStaff(world);
    const { offering, course, quiz, lab, make, holder } = opened;
    const acts = {
      ...(await actsOfStaff(opened)),
      ...(isInstructor(rank) && actsOfInstructors(opened)),
      ...readsOfKeys(opened),
    };
    const [me, free] = [await holder(rank), await holder(rank)];
    await make.enrollment(me.id, offering.id);
    expect(refused(await statusesOf(acts, me))).toEqual([]);
    const read = async (person: { id: number }, item: { id: number }) =>
      (await world.as(person).get(`/content/${item.id}`)).text;
    expect(await read(me, quiz)).not.toContain('"answer"');
    expect(await read(me, lab)).not.toContain("assert 42");
    const listed = await world.as(me).get(`/content/modules/${opened.module.id}/content`);
    expect(listed.text).not.toMatch(/"answer"|assert 42/);
    // Staff who are not enrolled may do all of it, so enrollment blocks the others.
    expect(failed(await statusesOf(acts, free))).toEqual([]);
    expect(await read(free, quiz)).toContain('"answer"');
    expect(await read(free, lab)).toContain("assert 42");
    const outline = await world.as(me).get(`/courses/${course.id}/offerings/${offering.id}/outline`);
    expect(outline.body.modules[0].items).toHaveLength(3);
  });

  it("keeps their rights in another offering of the course, except for its keys", async () => {
    const opened = await openCourseWithStaff(world);
    const { other, learner, make, holder, take, lab, here, quiz } = opened;
    const me = await holder(rank);
    await make.enrollment(me.id, other.id);
    expect(failed(await statusesOf(await actsOfStaff(opened), me))).toEqual([]);
    expect(refused(await statusesOf(readsOfKeys(opened), me))).toEqual([]);
    const { attempt } = await take(learner);
    const seen = await world.as(me).get(`/assessments/attempts/${attempt}`);
    expect([seen.status, seen.body.answers_shown]).toEqual([200, false]);
    const free = await world.as(opened.colleague).get(`/assessments/attempts/${attempt}`);
    expect(free.body.answers_shown).toBe(true);
    if (isInstructor(rank)) {
      expect((await world.as(me).get(`${here}/assignments/${lab.id}/auto-grader`)).status).toBe(403);
    }
    const item = await world.as(me).get(`/content/${quiz.id}`);
    expect(item.text).not.toContain('"answer"');
  });
});

describe("staff who learn", () => {
  const open = async () => {
    const opened = await openCourseWithStaff(world);
    const me = await opened.holder("instructor");
    const enrollment = await opened.make.enrollment(me.id, opened.offering.id);
    const set = (values: Partial<typeof enrollments.$inferInsert>) =>
      world.deps.db.update(enrollments).set(values).where(eq(enrollments.id, enrollment.id));
    const ends = (values: Partial<typeof courseOfferings.$inferInsert>) =>
      world.deps.db.update(courseOfferings).set(values).where(eq(courseOfferings.id, opened.offering.id));
    const statuses = async () => [
      (await world.as(me).get(`${opened.here}/gradebook`)).status,
      (await world.as(me).get(`/assessments/question-pools/${opened.pool.id}`)).status,
    ];
    return { ...opened, me, enrollment, set, ends, statuses };
  };
  const [kept, free] = [
    [403, 404],
    [200, 200],
  ];

  it("have a seat, wait for one, or have only a self-reported completion", async () => {
    const { set, statuses } = await open();
    for (const status of ["ACTIVE", "WAITLISTED", "PENDING"] as const) {
      await set({ status });
      expect(await statuses(), status).toEqual(kept);
    }
    await set({ status: "COMPLETED", completion_source: "SELF" });
    expect(await statuses()).toEqual(kept);
    await set({ status: "COMPLETED", completion_source: "STAFF" });
    expect(await statuses()).toEqual(free);
    await set({ status: "COMPLETED", completion_source: "RESULT" });
    expect(await statuses()).toEqual(free);
    await set({ status: "DROPPED", completion_source: null });
    expect(await statuses()).toEqual(free);
  });

  it("include people who gave up their seat after an attempt, until the offering is over", async () => {
    const { set, ends, statuses, take, me, make, university } = await open();
    await take(me);
    await set({ status: "DROPPED" });
    expect(await statuses()).toEqual(kept);
    const days = (number: number) => new Date(Date.now() + number * 86_400_000).toISOString();
    await ends({ ends_at: days(1) });
    expect(await statuses()).toEqual(kept);
    await ends({ ends_at: days(-1) });
    expect(await statuses()).toEqual(free);
    const term = (number: number) =>
      make.term(university.id, { starts_on: "2020-01-01", ends_on: days(number).slice(0, 10) });
    await ends({ ends_at: null, term_id: (await term(2)).id });
    expect(await statuses()).toEqual(kept);
    await ends({ term_id: (await term(-2)).id });
    expect(await statuses()).toEqual(free);
  });

  it("include people who submitted work, and dropped before it was graded", async () => {
    const { set, statuses, me, here, lab } = await open();
    await world.as(me).post(`${here}/assignments/${lab.id}/submissions`, { body: "Mine" });
    await set({ status: "DROPPED" });
    expect(await statuses()).toEqual(kept);
  });

  it.each(["department_admin", "university_admin", "platform_admin"] as const)(
    "and are a %s keep the rights that they administer",
    async (rank) => {
      const opened = await openCourseWithStaff(world);
      const me = await opened.holder(rank);
      await opened.make.enrollment(me.id, opened.offering.id);
      const acts = {
        ...(await actsOfStaff(opened)),
        ...actsOfInstructors(opened),
        ...readsOfKeys(opened),
      };
      expect(failed(await statusesOf(acts, me))).toEqual([]);
      expect((await world.as(me).get(`/content/${opened.quiz.id}`)).text).toContain('"answer"');
    },
  );

  it("and hold two roles have the rights of the higher one", async () => {
    const { me, statuses, university } = await open();
    const role = { user_id: me.id, university_id: university.id, role: "UNIVERSITY_ADMIN" as const };
    await world.deps.db.insert(userUniversityRoles).values(role);
    expect(await statuses()).toEqual(free);
  });

  it("reads no keys of a pool from which a quiz of the course draws, whosever it is", async () => {
    const { me, university, module, make, course, holder } = await open();
    const elsewhere = await make.course(university.id, { department_id: course.department_id });
    const { pool, questions } = await make.questionPool(elsewhere);
    const read = async (person: { id: number }) => [
      (await world.as(person).get(`/assessments/question-pools/${pool.id}`)).status,
      (await world.as(person).get(`/assessments/questions/${questions[0]?.id}`)).status,
    ];
    expect(await read(me)).toEqual([200, 200]);
    const drawing = await make.contentItem(module, university.id, {
      type: "quiz",
      data_json: { question_pool_id: pool.id },
    });
    expect(drawing.id).toBeGreaterThan(0);
    expect(await read(me)).toEqual([404, 404]);
    expect(await read(await holder("instructor"))).toEqual([200, 200]);
    // Also not through their own quiz that draws from the pool.
    const theirs = await make.module(elsewhere.id);
    const other = await make.course(university.id);
    const another = await make.contentItem(await make.module(other.id), university.id, { type: "quiz" });
    const named = await world.as(me).put(`/content/${another.id}`, {
      data_json: { question_pool_id: pool.id },
    });
    expect([named.status, theirs.course_id]).toEqual([400, elsewhere.id]);
  });

  it("edit the content except answer keys, and copy none of them", async () => {
    const { me, quiz, lab, reading, course, offering, module } = await open();
    const as = world.as(me);
    expect((await as.put(`/content/${reading.id}`, { data_json: { title: "New" } })).status).toBe(200);
    for (const item of [quiz, lab]) {
      const renamed = await as.put(`/content/${item.id}`, { title: "Renamed" });
      expect([renamed.status, renamed.body.title]).toEqual([200, "Renamed"]);
      expect(renamed.text).not.toMatch(/"answer"|assert 42/);
      const { status, body } = await as.put(`/content/${item.id}`, { data_json: {} });
      expect([status, body.detail]).toEqual([
        403,
        "It contains answer keys, which learners of the course can neither read nor replace",
      ]);
    }
    const ids = [lab.id, quiz.id, reading.id];
    const sorted = await as.post("/content/reorder", { content_ids: ids });
    expect(sorted.body.map(({ id }: { id: number }) => id)).toEqual(ids);
    expect(sorted.text).not.toMatch(/"answer"|assert 42/);
    expect((await as.put(`/modules/${module.id}`, { title: "Week 1" })).status).toBe(200);
    expect((await as.post(`/courses/${course.id}/copy`, {})).status).toBe(403);
    const copy = (same_course: boolean) =>
      as.post(`/courses/${course.id}/offerings/${offering.id}/copy`, { same_course });
    expect([(await copy(false)).status, (await copy(true)).status]).toEqual([403, 201]);
  });

  it("begins a quiz and hands work in no sooner than others, and reads it as staff do", async () => {
    const { me, here, quiz, lab } = await open();
    const available_from = "2026-03-11T12:00:00Z";
    for (const item of [quiz, lab]) await world.as(me).put(`/content/${item.id}`, { available_from });
    const replies = [
      await world.as(me).post(`${here}/quizzes/${quiz.id}/attempts`),
      await world.as(me).post(`${here}/assignments/${lab.id}/submissions`, { body: "Mine" }),
    ];
    for (const { status, body } of replies) expect([status, body.detail]).toEqual([403, "Not available yet"]);
    expect((await world.as(me).get(`/content/${quiz.id}`)).status).toBe(200);
  });

  it("are not notified of people they see as staff, and enroll no one by an earlier invitation", async () => {
    const { me, enrollment, set, university, offering, make, learner } = await open();
    const mine = async () =>
      (await world.as(me).get(`/users/${learner.id}/enrollments`)).body.map(
        (one: { course_offering_id: number }) => one.course_offering_id,
      );
    expect([await mine(), enrollment.status]).toEqual([[], "ACTIVE"]);
    await set({ status: "DROPPED" });
    expect(await mine()).toEqual([offering.id]);
    const friend = await make.person({ email_verified_at: "2026-03-01T00:00:00Z" });
    const sent = await world.as(me).post(`/universities/${university.id}/invitations`, {
      email: friend.email,
      course_offering_id: offering.id,
    });
    expect(sent.status).toBe(201);
    await set({ status: "ACTIVE" });
    const { rows } = await world.deps.db.execute<{ refusal: string }>(sql`
      select refusal from accept_invitation(${sent.body.id}, ${friend.id}, '{"at": "2026-03-10T12:00:00Z"}'::jsonb)`);
    expect(rows).toEqual([{ refusal: "withdrawn" }]);
  });
});
