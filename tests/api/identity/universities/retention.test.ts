import { Buffer } from "node:buffer";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { runRetentionPolicies } from "../../../../lib/operations/retention/work.ts";
import { courseGrades } from "../../../../schema/db/assessment/grades.ts";
import { quizAttempts } from "../../../../schema/db/assessment/quiz-attempts.ts";
import { activityEvents } from "../../../../schema/db/courses/activity.ts";
import { courseOfferings } from "../../../../schema/db/courses/offerings.ts";
import { terms } from "../../../../schema/db/courses/terms.ts";
import { auditEvents } from "../../../../schema/db/identity/audit.ts";
import { universities } from "../../../../schema/db/identity/universities.ts";
import { chatMessages, chatSessions } from "../../../../schema/db/tutor/chat.ts";
import type { Person } from "../../../support/client.ts";
import { eraseAccountOf } from "../../../support/erase.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openQuiz } from "../../assessment/exam.ts";

const world = openWorld();
const make = makersOf(world);
const never = new AbortController().signal;
const work = () => runRetentionPolicies(world.deps, never);

/** A university whose term ended on 30 June 2025, with a quiz and a retention officer. */
async function openUniversity() {
  world.setNow("2025-03-10T12:00:00Z");
  const opened = await openQuiz(world, { mastery: { max_attempts: 5 } });
  const { university, offering } = opened;
  const [term] = await world.deps.db
    .insert(terms)
    .values({ university_id: university.id, name: "Spring", starts_on: "2025-02-01", ends_on: "2025-06-30" })
    .returning();
  await world.deps.db
    .update(courseOfferings)
    .set({ term_id: term?.id ?? 0 })
    .where(eq(courseOfferings.id, offering.id));
  const officer = await make.holder("student", university.id);
  const admin = await make.holder("university_admin", university.id);
  const path = `/universities/${university.id}/retention`;
  const right = { user_id: officer.id, right: "retention:write" };
  expect((await world.as(admin).post(`/universities/${university.id}/offices`, right)).status).toBe(201);
  return {
    ...opened,
    ...{ officer, admin, path },
    set: (kinds: object, more: object = {}) => world.as(officer).put(path, { kinds, ...more }),
    count: () => world.as(officer).post(`${path}/dry-run`, {}),
    hold: (body: object) => world.as(officer).post(`${path}/holds`, { reason: "Appeal", ...body }),
    runs: async () => (await world.as(officer).get(`${path}/runs`)).body,
    /** Sets periods and moves past their month of notice. */
    async setFor(kinds: object, more: object = {}) {
      world.setNow("2026-02-01T12:00:00Z");
      const set = await world.as(officer).put(path, { kinds, ...more });
      expect(set.status, JSON.stringify(set.body)).toBe(200);
      expect((await world.as(officer).post(`${path}/dry-run`, {})).status).toBe(200);
      world.setNow("2026-03-05T12:00:00Z");
    },
    async event(person: Person, at: string, more: object = {}) {
      const [event] = await world.deps.db
        .insert(activityEvents)
        .values({
          ...{
            user_id: person.id,
            university_id: university.id,
            verb: "progressed",
            object_type: "content_item",
          },
          ...{ object_id: 1, course_offering_id: offering.id, occurred_at: at },
          ...more,
        })
        .returning();
      return event?.id ?? 0;
    },
    async answered(people: Person[], at: string) {
      const { rows } = await world.deps.db.execute(sql`
        with asked as (
          insert into tutor_questions (content_item_id, question_hash, question, question_key)
          values (${opened.item.id}, 'h', '{}', '{"answer": "A"}') returning id
        ), kept as (
          insert into tutor_step_counts select id, 'A', 2, false, 1 from asked
        )
        insert into tutor_steps (user_id, content_item_id, question_id, question_hash, choice, try_number, hints, created_at)
        select person, ${opened.item.id}, asked.id, 'h', 'A', 1, 0, ${at}
        from asked, unnest(${sql.param(people.map(({ id }) => id))}::int[]) as person returning question_id`);
      return Number(rows[0]?.["question_id"]);
    },
    async conversation(person: Person, at: string, item = opened.item.id) {
      const [talk] = await world.deps.db
        .insert(chatSessions)
        .values({
          ...{
            user_id: person.id,
            content_item_id: item,
            content_context: {},
            item_fingerprint: "f",
            surroundings_fingerprint: "f",
          },
          created_at: at,
        })
        .returning();
      const session_id = talk?.id ?? 0;
      await world.deps.db
        .insert(chatMessages)
        .values({ session_id, role: "user", content: "why is it so", created_at: at });
      return session_id;
    },
  };
}

const hasEvent = async (id: number) =>
  (await world.deps.db.$count(activityEvents, eq(activityEvents.id, id))) === 1;
const hasTalk = async (id: number) =>
  (await world.deps.db.$count(chatSessions, eq(chatSessions.id, id))) === 1;

describe("the periods", () => {
  let opened: Awaited<ReturnType<typeof openUniversity>>;
  beforeAll(async () => {
    opened = await openUniversity();
  });

  it("are read and set by holders of the office only, and none is set at first", async () => {
    const { path, officer, admin, teacher, learner } = opened;
    for (const person of [admin, teacher, learner])
      for (const status of [
        (await world.as(person).get(path)).status,
        (await world.as(person).put(path, { kinds: {} })).status,
        (await world.as(person).post(`${path}/dry-run`, {})).status,
        (await world.as(person).get(`${path}/holds`)).status,
        (await world.as(person).get(`${path}/runs`)).status,
      ])
        expect(status).toBe(403);
    expect((await world.as(officer).get("/universities/999999/retention")).status).toBe(404);
    const { body } = await world.as(officer).get(path);
    expect(body.periods.map(({ days }: { days: number | null }) => days)).toEqual(Array(7).fill(null));
    expect(body.periods).toContainEqual(
      expect.objectContaining({
        kind: "conversations",
        proposed_days: 180,
        least_days: 30,
        first_run_at: null,
      }),
    );
    expect((await opened.count()).body).toEqual([]);
  });

  it("reject invalid values", async () => {
    for (const [body, status] of [
      [{ kinds: { conversations: 29 } }, 422],
      [{ kinds: { audit_events: 364 } }, 422],
      [{ kinds: { conversations: 1e6 } }, 422],
      [{ kinds: { conversations: "soon" } }, 422],
      [{ kinds: [] }, 422],
      [{ kinds: { conversation: 180 } }, 422],
      [{ archive_days: -1 }, 422],
      [{ kinds: { grades: 400 } }, 400],
      [{ kinds: { submissions: 500, grades: 400 } }, 400],
    ] as const)
      expect([JSON.stringify(body), (await world.as(opened.officer).put(opened.path, body)).status]).toEqual([
        JSON.stringify(body),
        status,
      ]);
    const { body } = await world.as(opened.officer).get(opened.path);
    expect(body.periods.every(({ days }: { days: null }) => days === null)).toBe(true);
  });

  it("wait for a month and for their dry run, again if one gets shorter but not if it gets longer", async () => {
    world.setNow("2026-01-01T12:00:00Z");
    const periodOf = ({ body }: { body: { periods: { kind: string }[] } }) =>
      body.periods.find(({ kind }) => kind === "conversations");
    expect(periodOf(await opened.set({ conversations: 180 }))).toMatchObject({
      ...{ days: 180, counted_at: null, first_run_at: "2026-01-31T12:00:00.000Z" },
    });
    expect((await opened.count()).body).toEqual([
      { kind: "conversations", as_of: "2026-01-31T12:00:00.000Z", rows: 0, is_more: false },
    ]);
    world.setNow("2026-01-05T12:00:00Z");
    const counted = { counted_at: "2026-01-01T12:00:00.000Z", set_at: "2026-01-01T12:00:00.000Z" };
    expect(periodOf(await opened.set({ conversations: 200 }))).toMatchObject({ days: 200, ...counted });
    expect(periodOf(await opened.set({}, { archive_days: 10 }))).toMatchObject({ days: 200, ...counted });
    expect(periodOf(await opened.set({ conversations: 90 }))).toMatchObject({
      ...{ days: 90, counted_at: null, set_at: "2026-01-05T12:00:00.000Z" },
    });
    expect(periodOf(await opened.set({ conversations: null }))).toMatchObject({ days: null, set_at: null });
    const { university } = opened;
    const told = await world.deps.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.university_id, university.id));
    expect(told.map(({ action }) => action)).toContain("retention.counted");
    expect(told.find(({ action }) => action === "retention.set")?.details).toEqual({
      ...{ kinds: { conversations: 180 }, archive_days: null },
    });
  });

  it("keep both of two concurrent changes", async () => {
    const [one, other] = await Promise.all([
      opened.set({ submissions: 800, grades: 900 }),
      opened.set({ submissions: 950 }),
    ]);
    const { body } = await world.as(opened.officer).get(opened.path);
    const daysOf = Object.fromEntries(
      body.periods.map((one: { kind: string; days: number }) => [one.kind, one.days]),
    );
    // 950 days are accepted while grades have no limit, and rejected after the 900 days were set.
    expect(one.status).toBe(200);
    expect([200, 400]).toContain(other.status);
    expect([daysOf["submissions"], daysOf["grades"]]).toEqual([800, 900]);
  });
});

describe("retention", () => {
  it("deletes nothing before a dry run was read, nor within a month, and then everything past its term", async () => {
    const { learner, event, set, count, runs, university } = await openUniversity();
    const [old, late] = [
      await event(learner, "2025-03-01T12:00:00Z"),
      await event(learner, "2026-02-20T12:00:00Z"),
    ];
    world.setNow("2026-01-01T12:00:00Z");
    await set({ activity_events: 180 });
    world.setNow("2026-03-05T12:00:00Z");
    await work();
    expect(await hasEvent(old)).toBe(true);
    expect((await count()).body).toMatchObject([{ kind: "activity_events", rows: 1, is_more: false }]);
    await work();
    // Events after the term have their own period.
    expect([await hasEvent(old), await hasEvent(late)]).toEqual([false, true]);
    expect(await runs()).toMatchObject([
      { forgotten: { activity_events: 1 }, archived_rows: 1, ended_at: "2026-03-05T12:00:00.000Z" },
    ]);
    await work();
    expect(await runs()).toHaveLength(1);
    world.setNow("2026-03-13T12:00:00Z");
    await work();
    expect(await runs()).toHaveLength(2);
    const { rows } = await world.deps.db.execute(sql`
      select details from audit_events where action = 'retention.forgotten' and university_id = ${university.id}`);
    expect(rows).toMatchObject([{ details: { forgotten: { activity_events: 1 } } }]);
  });

  it("dates a course's data by the offering's end without a term, and by the last activity without an end", async () => {
    const opened = await openUniversity();
    const { learner, event, conversation, course } = opened;
    const [ended, open] = [
      await make.offering(course, { ends_at: "2025-12-31T12:00:00Z" }),
      await make.offering(course, { starts_at: "2024-01-01T12:00:00Z" }),
    ];
    const [, slow, gone] = [learner, await make.person(), await make.person()];
    for (const person of [slow, gone]) await make.enrollment(person.id, open.id);
    const at = "2025-03-01T12:00:00Z";
    const stays = [
      await event(slow, at, { course_offering_id: ended.id }),
      await event(slow, at, { course_offering_id: open.id }),
      await event(slow, "2026-01-01T12:00:00Z", { course_offering_id: open.id }),
    ];
    const goes = await event(gone, at, { course_offering_id: open.id });
    // In a course without an end, conversations of active people remain, as do those of people in a current
    // term.
    const [said, left, talked] = [
      await conversation(slow, at),
      await conversation(gone, at),
      await conversation(learner, at),
    ];
    const asked = await opened.answered([slow, gone, learner], at);
    await opened.setFor({ activity_events: 100, conversations: 100 });
    await work();
    expect(await Promise.all([...stays, goes].map(hasEvent))).toEqual([true, true, true, false]);
    expect(await Promise.all([said, left, talked].map(hasTalk))).toEqual([true, false, false]);
    // Their answers are deleted too; the counts per choice remain.
    const { rows } = await world.deps.db.execute(sql`
      select (select json_agg(user_id order by user_id) from tutor_steps where content_item_id = ${opened.item.id}) as steps,
        (select sum(answers)::int from tutor_step_counts where question_id = ${asked}) as counted`);
    expect(rows).toEqual([{ steps: [slow.id], counted: 3 }]);
  });

  it("excludes held people and offerings, also by a hold that is placed during a run", async () => {
    const opened = await openUniversity();
    const { learner, officer, offering, event, conversation, hold, path, university } = opened;
    const other = await make.person();
    await make.enrollment(other.id, offering.id);
    const at = "2025-03-01T12:00:00Z";
    const [held, free] = [await event(learner, at), await event(other, at)];
    const [kept, said] = [await conversation(learner, at), await conversation(other, at)];
    await opened.setFor({ activity_events: 180, conversations: 180 });
    for (const [body, status] of [
      [{ user_id: learner.id, course_offering_id: offering.id }, 422],
      [{}, 422],
      [{ user_id: learner.id, reason: " " }, 422],
      [{ user_id: learner.id, held_until: "later" }, 422],
      [{ user_id: (await make.person()).id }, 404],
      [{ course_offering_id: 999_999 }, 404],
      [{ course_offering_id: (await make.topic()).offering.id }, 404],
    ] as const)
      expect([JSON.stringify(body), (await hold(body)).status]).toEqual([JSON.stringify(body), status]);
    const over = await hold({ user_id: learner.id, held_until: "2026-03-04" });
    expect([over.status, over.headers.get("x-error-code")]).toEqual([400, "hold_is_over"]);
    // In Kiritimati it is already the 6th, so a hold until the 5th is rejected.
    const setZone = (zone: string) =>
      world.deps.db.update(universities).set({ time_zone: zone }).where(eq(universities.id, university.id));
    await setZone("Pacific/Kiritimati");
    expect((await hold({ course_offering_id: offering.id, held_until: "2026-03-05" })).status).toBe(400);
    await setZone("UTC");
    expect((await world.as(officer).get(`${path}/holds`)).body).toEqual([]);
    const placed = await hold({ user_id: learner.id, held_until: "2026-03-05" });
    expect([placed.status, placed.body]).toMatchObject([
      201,
      { user_id: learner.id, reason: "Appeal", placed_by_user_id: officer.id, course_title: null },
    ]);
    await work();
    expect([await hasEvent(held), await hasEvent(free)]).toEqual([true, false]);
    expect([await hasTalk(kept), await hasTalk(said)]).toEqual([true, false]);
    // Over after its last day, but the offering now has a hold.
    world.setNow("2026-03-13T12:00:00Z");
    const { body: second } = await hold({ course_offering_id: offering.id });
    expect(second).toMatchObject({ user_id: null, full_name: null, course_title: opened.course.title });
    expect((await world.as(officer).get(`${path}/holds`)).body).toHaveLength(2);
    await work();
    expect([await hasEvent(held), await hasTalk(kept)]).toEqual([true, true]);
    expect((await world.as(officer).delete(`${path}/holds/${second.id}`)).status).toBe(204);
    expect((await world.as(officer).delete(`${path}/holds/${second.id}`)).status).toBe(404);
    expect((await world.as(learner).delete(`${path}/holds/${placed.body.id}`)).status).toBe(403);
    world.setNow("2026-03-21T12:00:00Z");
    await work();
    expect([await hasEvent(held), await hasTalk(kept)]).toEqual([false, false]);
    const { rows } = await world.deps.db.execute(sql`
      select action from audit_events where university_id = ${university.id} and action in ('retention.held', 'retention.released')
      order by id`);
    expect(rows.map(({ action }) => action)).toEqual([
      "retention.held",
      "retention.held",
      "retention.released",
    ]);
  });

  it("of attempts and work deletes the answers and keeps the results; an open one stays unchanged", async () => {
    const opened = await openUniversity();
    const { learner, start, submit, read, right, offering, module, university, assistant, teacher } = opened;
    const { body: closed } = await start();
    await submit(closed.id, right);
    const { body: open } = await start();
    const lab = await make.contentItem(module, university.id, {
      type: "assignment",
      data_json: { max_points: 10 },
    });
    const works = `/assessments/offerings/${offering.id}/assignments/${lab.id}/submissions`;
    const handed = await world.as(learner).post(works, { body: "my own words" });
    expect(handed.status, JSON.stringify(handed.body)).toBe(201);
    const graded = await world.as(teacher).put(`/assessments/submissions/${handed.body.id}/grade`, {
      score_obtained: 7,
      feedback: "Good.",
    });
    expect(graded.status, JSON.stringify(graded.body)).toBe(200);
    await world.deps.db.execute(sql`
      update quiz_attempts set due_at = null where id = ${open.id}`);
    await opened.setFor({ submissions: 180 });
    await work();
    const shown = await read(closed.id, assistant);
    expect([shown.status, shown.body]).toMatchObject([
      200,
      { score_obtained: 5, max_score: 5, passed: true, questions: [] },
    ]);
    expect((await read(open.id)).body.questions).toHaveLength(5);
    const handedIn = await world.as(teacher).get(`/assessments/submissions/${handed.body.id}`);
    expect([handedIn.status, handedIn.body]).toMatchObject([
      200,
      { body: null, instructor_feedback: null, score_obtained: 7, status: "graded" },
    ]);
    // A regrade finds no answers and keeps the score.
    const regraded = await world.as(teacher).post(`${opened.quiz}/regrade`, {});
    expect([regraded.status, regraded.body]).toEqual([200, { graded: 0 }]);
    expect((await read(closed.id, assistant)).body).toMatchObject({ score_obtained: 5 });
  });

  it("of grades deletes all of them, with the attempts, and of calls and the log the person", async () => {
    const opened = await openUniversity();
    const { learner, start, submit, right, university, course, conversation } = opened;
    const { body: closed } = await start();
    await submit(closed.id, right);
    const said = await conversation(learner, "2025-03-01T12:00:00Z");
    await world.deps.db.execute(sql`
      insert into llm_calls (started_at, university_id, course_id, user_id, message_id, model, reserved_tokens, outcome)
      values ('2025-03-01', ${university.id}, ${course.id}, ${learner.id}, ${said}, 'model', 0, 'complete')`);
    // The anonymous code is deleted with the work; another person's remains.
    const other = await make.person();
    await world.deps.db.execute(sql`
      with codes as (
        insert into anonymous_codes (course_offering_id, content_item_id, user_id, code)
        select course_offering_id, content_item_id, one.user_id, one.code from quiz_attempts,
          (values (${learner.id}::int, 'BCDFGHJK'), (${other.id}::int, 'KJHGFDCB')) as one (user_id, code)
        where id = ${closed.id} returning course_offering_id, content_item_id, user_id
      )
      insert into quiz_attempts (user_id, course_offering_id, content_item_id, attempt_number, submitted_at)
      select user_id, course_offering_id, content_item_id, 1, '2099-01-01' from codes where user_id = ${other.id}`);
    // A grade that is not final and has no activity dates from its last change.
    const named = await make.person();
    await world.deps.db.execute(sql`
      with one as (
        insert into course_grades (user_id, course_offering_id, score_override)
        select ${named.id}, course_offering_id, 71 from quiz_attempts where id = ${closed.id}
        returning user_id, course_offering_id
      )
      insert into grade_changes (user_id, course_offering_id, kind, changed_at)
      select user_id, course_offering_id, 'course_set', '2099-01-01' from one`);
    await world.deps.db.execute(sql`
      insert into audit_events (occurred_at, action, actor_id, university_id)
      values ('2024-03-01', 'role.granted', ${learner.id}, ${university.id}),
             ('2025-11-01', 'role.granted', ${learner.id}, ${university.id})`);
    await opened.setFor(
      { submissions: 100, grades: 100, llm_calls: 100, audit_events: 365 },
      { archive_days: 0 },
    );
    await work();
    expect(await world.deps.db.$count(quizAttempts, eq(quizAttempts.id, closed.id))).toBe(0);
    const { rows } = await world.deps.db.execute(sql`
      select (select count(*)::int from llm_calls where university_id = ${university.id}) as calls,
        (select count(*)::int from llm_calls where user_id = ${learner.id}) as named,
        (select count(*)::int from audit_events
         where university_id = ${university.id} and action = 'role.granted') as events,
        array(select user_id from anonymous_codes where user_id in (${learner.id}, ${other.id})) as coded`);
    expect(rows).toEqual([{ calls: 1, named: 0, events: 1, coded: [other.id] }]);
    expect(await world.deps.db.$count(courseGrades, eq(courseGrades.user_id, named.id))).toBe(1);
    expect(await opened.runs()).toMatchObject([
      { archived_rows: 0, forgotten: { submissions: 1, grades: 1, llm_calls: 1, audit_events: 1 } },
    ]);
  });

  it("of an erased account deletes the remaining rows, unless it is held", async () => {
    const opened = await openUniversity();
    const { start, submit, right, learner, offering, hold } = opened;
    const other = await make.person();
    await make.enrollment(other.id, offering.id);
    const { body: mine } = await start();
    await submit(mine.id, right);
    const { body: theirs } = await start(other);
    await submit(theirs.id, right, other);
    await opened.setFor({ submissions: 180 });
    expect((await hold({ user_id: other.id })).status).toBe(201);
    for (const person of [learner, other]) expect(await eraseAccountOf(world, person)).toBe(204);
    await work();
    const { rows } = await world.deps.db.execute(sql`
      select user_id, raw_response_json is not null as has_answers, score_obtained::int as score from quiz_attempts
      where course_offering_id = ${offering.id} order by id`);
    expect(rows).toEqual([
      { user_id: learner.id, has_answers: false, score: 5 },
      { user_id: other.id, has_answers: true, score: 5 },
    ]);
  });
});

describe("a run", () => {
  it("leaves an archive of ids, times, kinds and amounts, without words, which ends", async () => {
    const opened = await openUniversity();
    const { learner, event, conversation } = opened;
    await event(learner, "2025-03-01T12:00:00Z");
    await conversation(learner, "2025-03-01T12:00:00Z");
    await opened.setFor({ activity_events: 180, conversations: 180 }, { archive_days: 30 });
    await work();
    const archived = sql`
      select kind, rows, key, unused_since is null as is_kept from retention_archives as one
      join stored_objects as object on object.id = one.object_id where one.university_id = ${opened.university.id} order by kind`;
    const { rows } = await world.deps.db.execute(archived);
    expect(rows).toMatchObject([
      { kind: "activity_events", rows: 1, is_kept: true },
      { kind: "conversations", rows: 1, is_kept: true },
    ]);
    const texts = await Promise.all(
      rows.map(async ({ key }) => {
        const stream = await world.deps.fileStore.read(String(key));
        return stream ? gunzipSync(Buffer.from(await buffer(stream))).toString() : "";
      }),
    );
    expect(JSON.parse(texts[1] ?? "")).toMatchObject({
      ...{ kind: "conversations", user_id: learner.id, course_id: opened.course.id },
      facts: { content_item_id: opened.item.id, messages: 1 },
    });
    for (const words of ["why is it so", learner.full_name, learner.email])
      expect(texts.join()).not.toContain(words);
    world.setNow("2026-04-05T12:00:00Z");
    expect((await work()).ended_archives).toBe(2);
    expect((await world.deps.db.execute(archived)).rows).toEqual([]);
  });

  it("reports an error to feed readers with a deleted cursor, and to no others", async () => {
    const opened = await openUniversity();
    const { learner, admin, event, university } = opened;
    const other = await make.person();
    await make.enrollment(other.id, opened.offering.id);
    await event(learner, "2025-03-01T12:00:00Z");
    await event(other, "2025-03-02T12:00:00Z");
    await event(learner, "2026-02-20T12:00:00Z");
    const feed = (after?: string) =>
      world.as(admin).get(`/universities/${university.id}/events?limit=1${after ? `&after=${after}` : ""}`);
    // Events appear once all earlier transactions have ended, in other databases of the server too.
    const all = `/universities/${university.id}/events?limit=10`;
    await expect.poll(async () => (await world.as(admin).get(all)).body.events.length).toBe(3);
    const first = (await feed()).body.next;
    const second = (await feed(first)).body.next;
    const last = (await feed(second)).body.next;
    await opened.hold({ user_id: other.id });
    await opened.setFor({ activity_events: 180 });
    await work();
    const stale = await feed(first);
    expect([stale.status, stale.body.detail]).toEqual([410, expect.stringContaining(second)]);
    expect((await feed(second)).body.next).toBe(last);
    expect((await feed(last)).body).toMatchObject({ events: [], next: last });
    const anew = (await feed()).body.next;
    expect([anew, (await feed(anew)).body.next]).toEqual([second, last]);
  });

  it("excludes rows that are held between its read and its deletion", async () => {
    const opened = await openUniversity();
    const { learner, event, hold } = opened;
    const other = await make.person();
    await make.enrollment(other.id, opened.offering.id);
    const [held, free] = [
      await event(learner, "2025-03-01T12:00:00Z"),
      await event(other, "2025-03-01T12:00:00Z"),
    ];
    await opened.setFor({ activity_events: 180 });
    const { fileStore } = world.deps;
    const write: typeof fileStore.write = async (...args) => {
      expect((await hold({ user_id: learner.id })).status).toBe(201);
      await fileStore.write(...args);
    };
    await runRetentionPolicies({ ...world.deps, fileStore: { ...fileStore, write } }, never);
    expect([await hasEvent(held), await hasEvent(free)]).toEqual([true, false]);
  });

  it("by two concurrent processes, and one that is killed at any step, deletes each row once", async () => {
    const opened = await openUniversity();
    const { learner, event } = opened;
    for (let day = 1; day <= 9; day += 1) await event(learner, `2025-03-0${day}T12:00:00Z`);
    await opened.setFor({ activity_events: 180 });
    // A process dies after each of its statements, one later each time. Nothing is lost or counted twice.
    for (let most = 1; most < 200; most += 1) {
      let sent = 0;
      const dying = new Proxy(world.deps.db, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (name !== "execute" && name !== "transaction") return value;
          return (...args: unknown[]) => {
            sent += 1;
            if (sent > most) throw new Error("killed");
            return value.apply(target, args);
          };
        },
      });
      const done = await runRetentionPolicies({ ...world.deps, db: dying }, never).catch(() => undefined);
      if (done) break;
    }
    const forgottenOf = async () => (await opened.runs())[0]?.forgotten;
    expect(await forgottenOf()).toEqual({ activity_events: 9 });
    const loose = await world.deps.db.execute(sql`
      select count(*)::int as kept from stored_objects where university_id = ${opened.university.id} and unused_since is null`);
    expect(loose.rows).toEqual([{ kept: 1 }]);

    world.setNow("2026-03-13T12:00:00Z");
    for (let day = 1; day <= 9; day += 1) await event(learner, `2025-04-0${day}T12:00:00Z`);
    await Promise.allSettled([work(), work(), work()]);
    await work();
    expect(await forgottenOf()).toEqual({ activity_events: 9 });
    expect(await opened.runs()).toHaveLength(2);
  });
});
