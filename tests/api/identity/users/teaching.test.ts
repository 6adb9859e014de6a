import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { courseOfferingInstructors, courseOfferings } from "../../../../schema/db/courses/offerings.ts";
import { chatSessions } from "../../../../schema/db/tutor/chat.ts";
import { openLab } from "../../../support/lab.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const now = "2026-03-10T12:00:00.000Z";
const deskOf = async (person: { id: number }) => {
  const { status, body } = await world.as(person).get("/users/me/teaching");
  expect(status).toBe(200);
  return body.offerings;
};
const nothing = { count: 0, oldest_at: null };

describe("a teacher's tasks", () => {
  it("are empty for people who are staff nowhere", async () => {
    world.setNow(now);
    expect(await deskOf(await make.person())).toEqual([]);
  });

  it("are work to grade, unanswered threads and hand-overs, stuck learners, and due dates", async () => {
    world.setNow("2026-03-01T12:00:00.000Z");
    const lab = await openLab(world, { due_at: "2026-03-20T12:00:00.000Z" });
    await make.contentItem(lab.module, lab.university.id, {
      title: "Too far",
      due_at: "2026-04-20T12:00:00Z",
    });
    const early = (await lab.submit({ body: "A try" })).body;
    const threads = `/community/offerings/${lab.offering.id}/threads`;
    const asked = (
      await world.as(lab.learner).post(threads, { title: "Why?", body: "I wonder", kind: "QUESTION" })
    ).body;
    expect(asked.id).toBeGreaterThan(0);
    const awake = await make.person();
    world.setNow(now);
    await make.enrollment(awake.id, lab.offering.id);
    const [desk, ...others] = await deskOf(lab.teacher);
    expect(others).toEqual([]);
    expect(desk).toMatchObject({
      ...{ course: { id: lab.course.id, title: lab.course.title }, course_offering: { id: lab.offering.id } },
      teaches: false,
      to_grade: { count: 1, oldest_at: early.submitted_at },
      unanswered_threads: { count: 1, oldest_at: "2026-03-01T12:00:00.000Z" },
      handovers: nothing,
      stuck: { count: 1, people: [{ user_id: lab.learner.id, progress_percent: 0 }] },
      deadlines: [{ content_item_id: lab.lab.id, title: lab.lab.title, due_at: "2026-03-20T12:00:00.000Z" }],
    });

    expect((await lab.grade(early.id, 12)).status).toBe(200);
    await world.as(lab.assistant).post(`/community/threads/${asked.id}/posts`, { body: "Because" });
    const [done] = await deskOf(lab.teacher);
    expect([done.to_grade, done.unanswered_threads]).toEqual([nothing, nothing]);
    await world.as(lab.learner).post(`/community/threads/${asked.id}/posts`, { body: "And why that?" });
    const [again] = await deskOf(lab.teacher);
    expect(again.unanswered_threads).toEqual({ count: 1, oldest_at: now });
    const { body } = await world.as(lab.assistant).get(`/community/threads/${asked.id}/posts`);
    await world
      .as(lab.assistant)
      .put(`/community/posts/${body.posts.at(-1).id}/moderation`, { is_hidden: true });
    expect((await deskOf(lab.teacher))[0].unanswered_threads).toEqual(nothing);
  });

  it("count the newest ungraded work of each learner, and none that is excused, scored or of a dropped learner", async () => {
    world.setNow("2026-03-01T12:00:00.000Z");
    const lab = await openLab(world);
    const toGrade = async () => (await deskOf(lab.teacher))[0].to_grade.count;
    const awaiting = async () => {
      const { body } = await lab.finalize({ dry_run: true });
      return body.awaiting;
    };
    const own = `${lab.here}/grades/${lab.learner.id}/items/${lab.lab.id}`;
    const dropped = await make.person();
    const { id } = await make.enrollment(dropped.id, lab.offering.id);
    const first = (await lab.submit({ body: "A try" })).body;
    const second = (await lab.submit({ body: "Another" })).body;
    await lab.submit({ body: "Hers" }, dropped);
    expect([await toGrade(), await awaiting()]).toEqual([2, 2]);
    await world.as(dropped).put(`/enrollments/${id}`, { status: "DROPPED" });
    expect([await toGrade(), await awaiting()]).toEqual([1, 1]);
    for (const [change, left] of [
      [{ score: null, is_excused: true }, 0],
      [{ score: null, is_excused: false }, 1],
      [{ score: 12, is_excused: false }, 0],
      [{ score: null, is_excused: false }, 1],
    ] as const) {
      const reply = await world.as(lab.teacher).put(own, { ...change, reason: "Illness" });
      expect(reply.status).toBe(200);
      expect([await toGrade(), await awaiting()], JSON.stringify(change)).toEqual([left, left]);
    }
    expect((await lab.grade(second.id, 15)).status).toBe(200);
    expect([first.status, await toGrade(), await awaiting()]).toEqual(["submitted", 0, 0]);
  });

  it("list the caller's own offerings first, without long finished ones or another university's", async () => {
    world.setNow(now);
    const lab = await openLab(world);
    const [second, former] = [await make.offering(lab.course), await make.offering(lab.course)];
    const ends = (id: number, ends_at: string) =>
      world.deps.db
        .update(courseOfferings)
        .set({ starts_at: "2025-09-01T00:00:00.000Z", ends_at })
        .where(eq(courseOfferings.id, id));
    await ends(former.id, "2026-02-01T00:00:00.000Z");
    await ends(second.id, "2026-03-01T00:00:00.000Z");
    await world.deps.db
      .insert(courseOfferingInstructors)
      .values({ course_offering_id: second.id, user_id: lab.teacher.id });
    const desk = await deskOf(lab.teacher);
    expect(
      desk.map((one: { teaches: boolean; course_offering: { id: number } }) => [
        one.course_offering.id,
        one.teaches,
      ]),
    ).toEqual([
      [second.id, true],
      [lab.offering.id, false],
    ]);
    expect(await deskOf(lab.learner)).toEqual([]);
  });
});

describe("the week of an offering", () => {
  it("lists due items with submitters, absent learners, open questions, and the number of tutor questions", async () => {
    world.setNow("2026-03-01T12:00:00.000Z");
    const lab = await openLab(world, { due_at: "2026-03-13T12:00:00.000Z" });
    const week = `/courses/${lab.course.id}/offerings/${lab.offering.id}/week`;
    const idle = await make.person({ full_name: "Ida Idle" });
    await make.enrollment(idle.id, lab.offering.id, "ACTIVE", { enrolled_at: "2026-03-01T12:00:00Z" });
    world.setNow(now);
    await lab.submit({ body: "A try" });
    await lab.submit({ body: "Another" });
    const threads = `/community/offerings/${lab.offering.id}/threads`;
    await world.as(lab.learner).post(threads, { title: "Why?", body: "I wonder", kind: "QUESTION" });
    await world.deps.db.insert(chatSessions).values(
      [1, 2].map(() => ({
        user_id: lab.learner.id,
        content_item_id: lab.lab.id,
        content_context: {},
        item_fingerprint: "",
        surroundings_fingerprint: "",
        created_at: now,
      })),
    );
    const { status, body } = await world.as(lab.teacher).get(week);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ starts_at: "2026-03-09T00:00:00.000Z", ends_at: "2026-03-16T00:00:00.000Z", learners: 2 },
      due: [{ content_item_id: lab.lab.id, due_at: "2026-03-13T12:00:00.000Z", handed_in: 1 }],
      inactive: { count: 1, people: [{ user_id: idle.id, full_name: "Ida Idle", last_activity_at: null }] },
      ...{
        new_threads: 1,
        unanswered_threads: { count: 1 },
        handovers: nothing,
        tutor: { sessions: 2, people: 1 },
      },
    });
    // The roster and the desk agree on who is stuck.
    const roster = `/courses/${lab.course.id}/offerings/${lab.offering.id}/enrollments`;
    for (const sort of ["progress_percent", "full_name"]) {
      const stuck = await world.as(lab.teacher).get(`${roster}?is_stuck=true&sort=${sort}`);
      expect(stuck.body.map(({ user_id }: { user_id: number }) => user_id)).toEqual([idle.id]);
    }
    expect((await world.as(lab.teacher).get(`${roster}?is_stuck=maybe`)).status).toBe(422);
    const [desk] = await deskOf(lab.teacher);
    expect(desk.stuck).toEqual(body.inactive);

    expect((await world.as(lab.learner).get(week)).status).toBe(403);
    expect((await world.as(lab.teacher).get(`/courses/${lab.course.id}/offerings/999999/week`)).status).toBe(
      404,
    );
  });
});
