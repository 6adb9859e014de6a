import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { quizAttempts } from "../../../../schema/db/assessment/quiz-attempts.ts";
import { auditEvents } from "../../../../schema/db/identity/audit.ts";
import type { Person } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openQuiz } from "../../assessment/exam.ts";

const world = openWorld();
const make = makersOf(world);

let opened: Awaited<ReturnType<typeof openQuiz>>;
let admin: Person;
let officer: Person;

/** A quiz of an hour that closes at noon on the 10th, and an officer who is a student. */
beforeAll(async () => {
  world.setNow("2026-03-10T10:30:00Z");
  const data = { due_at: "2026-03-10T12:00:00Z", time_limit_seconds: 3600, mastery: { max_attempts: 5 } };
  opened = await openQuiz(world, data);
  admin = await make.holder("university_admin", opened.university.id);
  officer = await make.holder("student", opened.university.id);
});

const offices = () => `/universities/${opened.university.id}/offices`;
const path = () => `/universities/${opened.university.id}/accommodations`;
const give = (body: object, person = officer) => world.as(person).put(path(), body);
const to = (person: Person, numbers: object) => give({ user_id: person.id, ...numbers });
const enrolled = async () => {
  const person = await make.person();
  await make.enrollment(person.id, opened.offering.id);
  return person;
};
const deadline = async (person: Person) => {
  const [one] = await world.deps.db.select().from(quizAttempts).where(eq(quizAttempts.user_id, person.id));
  return one?.due_at;
};
const closing = async (person: Person) => (await world.as(person).get(opened.quiz)).body;

describe("an office", () => {
  it("is given by an administrator to one of the university's people, and never to oneself", async () => {
    const right = "accommodation:write";
    expect((await give({ user_id: opened.learner.id })).status).toBe(403);
    const granted = await world.as(admin).post(offices(), { user_id: officer.id, right });
    expect([granted.status, granted.body]).toMatchObject([201, { user_id: officer.id, right }]);
    const again = await world.as(admin).post(offices(), { user_id: officer.id, right });
    expect([again.status, again.body.detail]).toEqual([
      400,
      `Office right '${right}' is already held by that person`,
    ]);
    const stranger = await make.person();
    for (const [person, body, status] of [
      [admin, { user_id: admin.id, right }, 403],
      [admin, { user_id: stranger.id, right }, 404],
      [admin, { user_id: officer.id, right: "everything" }, 422],
      [opened.teacher, { user_id: stranger.id, right }, 403],
      [officer, { user_id: opened.learner.id, right }, 403],
    ] as const)
      expect((await world.as(person).post(offices(), body)).status).toBe(status);
    expect((await world.as(admin).get(offices())).body).toMatchObject([{ user_id: officer.id, right }]);
    expect(await world.deps.db.$count(auditEvents, eq(auditEvents.action, "office.granted"))).toBe(1);
  });

  it("gives no right to other people, whatever their role, nor elsewhere, nor after its revocation", async () => {
    const other = await make.person();
    const body = { user_id: other.id, time_factor: 2 };
    const platform = await make.holder("platform_admin", opened.university.id);
    for (const person of [admin, opened.teacher, opened.assistant, opened.learner, platform]) {
      expect((await give(body, person)).status).toBe(403);
      expect((await world.as(person).get(path())).status).toBe(403);
    }
    const elsewhere = `/universities/${(await make.university()).id}/accommodations`;
    expect((await world.as(officer).put(elsewhere, body)).status).toBe(403);
    expect((await world.as(officer).get("/universities/999999/accommodations")).status).toBe(404);
    const second = await make.holder("student", opened.university.id);
    const office = { user_id: second.id, right: "accommodation:write" };
    const { id } = (await world.as(admin).post(offices(), office)).body;
    expect((await world.as(second).get(path())).status).toBe(200);
    expect((await world.as(admin).delete(`${offices()}/${id}`)).status).toBe(204);
    expect((await world.as(second).get(path())).status).toBe(403);
    expect((await world.as(admin).delete(`${offices()}/${id}`)).status).toBe(404);
  });

  it("names one of the university's people, with numbers that can be, and not themselves", async () => {
    const { learner } = opened;
    for (const [body, status] of [
      [{ user_id: officer.id, time_factor: 2 }, 403],
      [{ user_id: (await make.person()).id, time_factor: 2 }, 404],
      [{ email: "nobody@example.edu", time_factor: 2 }, 404],
      [{ external_id: "nobody", time_factor: 2 }, 404],
      [{ time_factor: 2 }, 422],
      [{ user_id: learner.id, time_factor: 0.5 }, 422],
      [{ user_id: learner.id, time_factor: 3.5 }, 422],
      [{ user_id: learner.id, time_factor: 1.555 }, 422],
      [{ user_id: learner.id, extra_days: -1 }, 422],
      [{ user_id: learner.id, extra_days: 1000 }, 422],
      [{ user_id: learner.id, valid_until: "soon" }, 422],
    ] as const)
      expect([JSON.stringify(body), (await give(body)).status]).toEqual([JSON.stringify(body), status]);
  });
});

describe("more time", () => {
  it("extends a running attempt, which keeps the time after a withdrawal", async () => {
    const { learner, start } = opened;
    await start();
    expect(await deadline(learner)).toBe("2026-03-10T11:30:00.000Z");
    expect((await to(learner, { time_factor: 1.5 })).status).toBe(200);
    expect(await deadline(learner)).toBe("2026-03-10T12:00:00.000Z");
    // For attempts that began before, the quiz closes later by the extension: half an hour.
    await to(learner, { time_factor: 3 });
    expect(await deadline(learner)).toBe("2026-03-10T13:30:00.000Z");
    expect((await world.as(officer).delete(`${path()}/${learner.id}`)).status).toBe(204);
    expect(await deadline(learner)).toBe("2026-03-10T13:30:00.000Z");
    expect((await world.as(officer).delete(`${path()}/${learner.id}`)).status).toBe(404);
    const { offering, item, teacher } = opened;
    const override = `/assessments/offerings/${offering.id}/quizzes/${item.id}/overrides/${learner.id}`;
    const grant = (granted: object) => world.as(teacher).put(override, granted);
    expect((await grant({ max_attempts: 4 })).status).toBe(200);
    expect(await deadline(learner)).toBe("2026-03-10T13:30:00.000Z");
    // An hour and a half for the quiz, and then a quarter less.
    await grant({ time_limit_seconds: 5400, due_at: "2026-03-10T20:00:00Z" });
    expect(await deadline(learner)).toBe("2026-03-10T13:30:00.000Z");
    await grant({ time_limit_seconds: 4500 });
    expect(await deadline(learner)).toBe("2026-03-10T13:15:00.000Z");
    const told = and(eq(auditEvents.subject_id, learner.id), eq(auditEvents.action, "accommodation.granted"));
    expect(await world.deps.db.$count(auditEvents, told)).toBe(2);
  });

  it("is in every deadline that is made later: by an override, an offering's date, and the course's", async () => {
    const { start, offering, course, item, teacher } = opened;
    const [person, other] = [await enrolled(), await enrolled()];
    await to(person, { time_factor: 1.5, extra_days: 2 });
    expect(await closing(person)).toMatchObject({
      closes_at: "2026-03-12T12:00:00.000Z",
      time_limit_seconds: 5400,
    });
    expect(await closing(other)).toMatchObject({
      closes_at: "2026-03-10T12:00:00.000Z",
      time_limit_seconds: 3600,
    });
    const dates = `/courses/${course.id}/offerings/${offering.id}/dates`;
    const line = { content_item_id: item.id, due_at: "2026-03-10T14:00:00Z" };
    await world.as(teacher).put(dates, { dates: [line] });
    expect(await closing(person)).toMatchObject({ closes_at: "2026-03-12T14:00:00.000Z" });
    await world.as(teacher).put(`${opened.quiz}/overrides/${person.id}`, {
      due_at: "2026-03-10T11:00:00Z",
      time_limit_seconds: 600,
    });
    // The person's own date overrides the offering's, and their extra days are added.
    expect(await closing(person)).toMatchObject({
      closes_at: "2026-03-12T11:00:00.000Z",
      time_limit_seconds: 900,
    });
    await start(person);
    expect(await deadline(person)).toBe("2026-03-10T10:45:00.000Z");
    await world.as(teacher).put(dates, { dates: [{ content_item_id: item.id }] });
  });

  it("extends attempts that began before the closing by the additional time", async () => {
    const person = await enrolled();
    await to(person, { time_factor: 2 });
    world.setNow("2026-03-10T11:50:00Z");
    await opened.start(person);
    expect(await deadline(person)).toBe("2026-03-10T13:00:00.000Z");
    world.setNow("2026-03-10T12:00:00Z");
    const late = await enrolled();
    await to(late, { time_factor: 2 });
    expect((await opened.start(late)).status).toBe(400);
    world.setNow("2026-03-10T10:30:00Z");
  });

  it("ends with its last day, for the dates of that day", async () => {
    const person = await enrolled();
    await to(person, { extra_days: 2, valid_until: "2026-03-10" });
    expect(await closing(person)).toMatchObject({ closes_at: "2026-03-12T12:00:00.000Z" });
    await to(person, { extra_days: 2, valid_until: "2026-03-09" });
    expect(await closing(person)).toMatchObject({ closes_at: "2026-03-10T12:00:00.000Z" });
  });

  it("is shown to teachers as numbers, and work within its days is not late", async () => {
    const { teacher, offering, module, university, learner } = opened;
    const paper = await make.contentItem(module, university.id, {
      type: "assignment",
      data_json: {},
      due_at: "2026-03-09T12:00:00Z",
    });
    const person = await enrolled();
    const handIn = () =>
      world
        .as(person)
        .post(`/assessments/offerings/${offering.id}/assignments/${paper.id}/submissions`, { body: "x" });
    const { id, is_late } = (await handIn()).body;
    expect(is_late).toBe(true);
    await to(person, { extra_days: 3 });
    const read = (await world.as(person).get(`/assessments/submissions/${id}`)).body;
    expect(read).toMatchObject({ is_late: false, due_at: "2026-03-12T12:00:00.000Z" });
    const there = `/assessments/offerings/${offering.id}/accommodations`;
    const shown = (await world.as(teacher).get(there)).body as { user_id: number }[];
    expect(shown.find(({ user_id }) => user_id === person.id)).toMatchObject({
      time_factor: 1,
      extra_days: 3,
    });
    expect((await world.as(learner).get(there)).status).toBe(403);
    const listed = (await world.as(officer).get(`${path()}?limit=1000`)).body as object[];
    expect(listed.length).toBe(shown.length);
  });

  it("is part of the deadline of a concurrent start, in either order", async () => {
    for (let round = 0; round < 4; round += 1) {
      const person = await enrolled();
      const acts = [() => to(person, { time_factor: 1.5 }), () => opened.start(person)];
      const replies = await Promise.all((round % 2 ? acts : acts.toReversed()).map((act) => act()));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 201]);
      expect(await deadline(person)).toBe("2026-03-10T12:00:00.000Z");
    }
  });
});
