import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { coursePrerequisites } from "../../../../schema/db/courses/courses.ts";
import { enrollments } from "../../../../schema/db/courses/enrollments.ts";
import { auditEvents } from "../../../../schema/db/identity/audit.ts";
import { rateLimits } from "../../../../schema/db/platform/rate-limits.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const now = "2026-03-10T12:00:00.000Z";
const past = "2026-03-09T12:00:00.000Z";

type Person = { id: number };

/** An offering, its staff, and enrollment actions. */
async function term(overrides: Parameters<typeof make.offering>[1] = {}) {
  const { university, course } = await make.topic();
  const offering = await make.offering(course, overrides);
  const staff = await make.holder("ta", university.id);
  const path = `/courses/${course.id}/offerings/${offering.id}`;
  const enroll = (person: Person, more: object = {}) =>
    world.as(person).post("/enrollments/", { course_offering_id: offering.id, ...more });
  const put = (person: Person, id: number, status: string) =>
    world.as(person).put(`/enrollments/${id}`, { status });
  const member = () => make.holder("student", university.id);
  return { university, course, offering, staff, path, enroll, put, member };
}

const auditOf = (person: Person) =>
  world.deps.db.select().from(auditEvents).where(eq(auditEvents.subject_id, person.id));

const needs = (course: Person, required: Person) =>
  world.deps.db
    .insert(coursePrerequisites)
    .values({ course_id: course.id, prerequisite_course_id: required.id });

describe("a self-reported completion", () => {
  test("completes the enrollment from any status but no prerequisite, until staff confirm it", async () => {
    const { university, course, offering, staff, enroll, put } = await term();
    const next = await make.course(university.id);
    await needs(next, course);
    const after = await make.offering(next);
    const person = await make.person();
    const goesOn = async () =>
      (await world.as(person).post("/enrollments/", { course_offering_id: after.id })).body.detail;
    const unmet = `Unmet prerequisites: ${course.code} ${course.title}`;

    const { body: enrollment } = await enroll(person);
    const own = await put(person, enrollment.id, "COMPLETED");
    expect([own.status, own.body]).toMatchObject([200, { completion_source: "SELF", completed_at: now }]);
    expect(await goesOn()).toBe(unmet);
    await put(person, enrollment.id, "DROPPED");
    expect((await put(person, enrollment.id, "COMPLETED")).body.completion_source).toBe("SELF");
    expect(await goesOn()).toBe(unmet);
    const stats = () => world.as(staff).get(`/courses/${course.id}/stats`);
    expect((await stats()).body).toMatchObject({
      completion_rate: 0,
      enrollment_counts_by_status: { COMPLETED: 0 },
    });

    const confirmed = await put(staff, enrollment.id, "COMPLETED");
    expect(confirmed.body).toMatchObject({ completion_source: "STAFF", course_offering_id: offering.id });
    expect((await stats()).body).toMatchObject({
      completion_rate: 1,
      enrollment_counts_by_status: { COMPLETED: 1 },
    });
    expect(await goesOn()).toBeUndefined();
  });

  test("gives staff no more: neither a certificate nor a seat before others", async () => {
    const { university, offering, staff, enroll, put } = await term({ capacity: 1 });
    const { body: enrollment } = await enroll(staff);
    for (const _ of ["said", "confirmed"])
      expect((await put(staff, enrollment.id, "COMPLETED")).body.completion_source).toBe("SELF");
    const instructor = await make.holder("instructor", university.id);
    const certificates = `/assessments/certificates/offerings/${offering.id}`;
    expect((await world.as(instructor).get(certificates)).body).toEqual([]);
    expect((await put(instructor, enrollment.id, "COMPLETED")).body.completion_source).toBe("STAFF");

    await enroll(await make.person());
    const { body: waiting } = await enroll(instructor);
    expect(waiting.status).toBe("WAITLISTED");
    expect((await put(instructor, waiting.id, "ACTIVE")).status).toBe(400);
    expect((await put(staff, waiting.id, "ACTIVE")).body.status).toBe("ACTIVE");
  });

  test.each(["DROPPED", "PENDING"] as const)(
    "leads from %s to the waiting list only if they may enroll",
    async (status) => {
      const { university, course, offering, enroll, put } = await term({ enrollment_mode: "STAFF" });
      const [person, other] = [await make.person(), await make.person()];
      const { id } = await make.enrollment(person.id, offering.id, status);
      const { id: enrolled } = await make.enrollment(other.id, offering.id);
      const instructor = world.as(await make.holder("instructor", university.id));
      const path = `/courses/${course.id}/offerings/${offering.id}`;
      const refused = async () => (await put(person, id, "WAITLISTED")).body.detail;
      expect(await refused()).toBe("Only staff can enroll people here");
      await instructor.put(path, { enrollment_mode: "OPEN", enrollment_end: past });
      expect(await refused()).toBe("Enrollment is not open");
      await instructor.put(path, { enrollment_end: null, capacity: 1 });
      expect(await put(person, id, "WAITLISTED")).toMatchObject({ status: 200, body: { position: 1 } });
      await put(other, enrolled, "DROPPED");
      expect((await world.as(person).get(`/enrollments/${id}`)).body.status).toBe("ACTIVE");
      expect((await enroll(other)).body.status).toBe("WAITLISTED");
    },
  );

  test("takes no one from the waiting list except by dropping", async () => {
    const { enroll, put } = await term({ capacity: 1 });
    const [first, second, third] = [await make.person(), await make.person(), await make.person()] as const;
    await enroll(first);
    const { body: waiting } = await enroll(second);
    expect([waiting.status, waiting.position, (await enroll(third)).body.position]).toEqual([
      "WAITLISTED",
      1,
      2,
    ]);
    for (const status of ["COMPLETED", "ACTIVE", "PENDING"]) {
      const reply = await put(second, waiting.id, status);
      expect([reply.status, reply.body.detail]).toEqual([
        400,
        "An enrollment on the waiting list can only change to DROPPED",
      ]);
    }
    expect((await put(second, waiting.id, "DROPPED")).body).toMatchObject({
      status: "DROPPED",
      position: null,
    });
    const mine = (await world.as(third).get("/enrollments/my-enrollments")).body;
    expect(mine).toMatchObject([{ status: "WAITLISTED", position: 1 }]);
  });
});

test.each(["ends_at", "enrollment_end"])(
  "no one is admitted after %s, even if a seat frees or the capacity grows",
  async (end) => {
    const { course, offering, path, university, staff, enroll, put } = await term({ capacity: 1 });
    const [first, second, third] = [await make.person(), await make.person(), await make.person()] as const;
    const { body: active } = await enroll(first);
    const { body: waiting } = await enroll(second);
    const instructor = world.as(await make.holder("instructor", university.id));
    await instructor.put(path, { [end]: past });
    await put(staff, active.id, "COMPLETED");
    await instructor.put(path, { capacity: 5 });
    expect((await world.as(second).get(`/enrollments/${waiting.id}`)).body).toMatchObject({
      status: "WAITLISTED",
    });
    await instructor.put(path, { capacity: 1 });
    await make.enrollment((await make.person()).id, offering.id);
    expect((await enroll(third)).status).toBe(400);
    await instructor.put(path, { [end]: null, capacity: 2 });
    expect((await world.as(second).get(`/enrollments/${waiting.id}`)).body).toMatchObject({
      status: "ACTIVE",
      course_id: course.id,
    });
  },
);

describe("staff", () => {
  test("enroll others, by id or address, under the same rules", async () => {
    const { university, offering, staff, enroll, member } = await term({ capacity: 1 });
    const [known, stranger] = [await member(), await make.ownPerson(university.id)];
    const enrolled = await enroll(staff, { user_id: known.id });
    expect(world.log.at(-1)).toMatchObject({ db_query_count: 2 });
    expect([enrolled.status, enrolled.body]).toMatchObject([201, { user_id: known.id, status: "ACTIVE" }]);
    const waiting = await enroll(staff, { email: stranger.email });
    expect([waiting.status, waiting.body]).toMatchObject([
      201,
      { user_id: stranger.id, status: "WAITLISTED", position: 1 },
    ]);
    const audited = await auditOf(stranger);
    expect(audited).toMatchObject([
      {
        action: "enrollment.created",
        actor_id: staff.id,
        details: { course_offering_id: offering.id, override: false },
      },
    ]);
  });

  test("override the window, the prerequisites and the capacity, and the audit log says which", async () => {
    const { university, course, path, staff, enroll, member } = await term({
      capacity: 1,
      enrollment_end: past,
    });
    const required = await make.course(university.id);
    await needs(course, required);
    const instructor = world.as(await make.holder("instructor", university.id));
    for (const [passed, free] of [
      ["not_open", () => instructor.put(path, { enrollment_end: null })],
      ["unmet_prerequisites", () => instructor.delete(`/courses/${course.id}/prerequisites/${required.id}`)],
      ["full", undefined],
    ] as const) {
      const person = await member();
      if (free) expect((await enroll(staff, { user_id: person.id })).status, passed).toBe(400);
      const enrolled = await enroll(staff, { user_id: person.id, override: true });
      expect([enrolled.status, enrolled.body.status]).toEqual([201, "ACTIVE"]);
      const [audited] = await auditOf(person);
      expect(audited?.details).toMatchObject({ override: true, passed });
      await free?.();
    }
  });

  test("enroll others, and only people whom they may name", async () => {
    const { offering, staff, enroll, member } = await term();
    const [person, stranger] = [await member(), await make.person()];
    for (const caller of [person, await make.holder("university_admin", (await make.university()).id)]) {
      const reply = await enroll(caller, { user_id: person.id });
      expect([reply.status, reply.body.detail]).toEqual([403, "Not enough permissions"]);
    }
    expect((await enroll(staff, { user_id: stranger.id })).body.detail).toBe("User not found");
    expect((await enroll(staff, { email: "nobody@example.edu" })).status).toBe(202);
    for (const [body, field] of [
      [{ user_id: person.id, email: person.email }, "email"],
      [{ override: true }, "override"],
    ] as const)
      expect((await enroll(staff, body)).body.detail[0].loc).toEqual(["body", field]);
    const unknown = await world
      .as(staff)
      .post("/enrollments/", { course_offering_id: 2_000_000, user_id: person.id });
    expect(unknown.body.detail).toBe("Offering not found");
    expect(await world.deps.db.$count(enrollments, eq(enrollments.course_offering_id, offering.id))).toBe(0);
  });

  test("who enroll one person concurrently give one seat, with one line of the audit log", async () => {
    const { university, enroll, member, staff } = await term();
    const person = await member();
    const colleagues = [staff, await make.holder("ta", university.id)];
    const replies = await Promise.all(
      [...colleagues, ...colleagues].map((one) => enroll(one, { user_id: person.id, override: true })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    expect(await world.deps.db.$count(auditEvents, eq(auditEvents.subject_id, person.id))).toBe(1);
  });

  test("learn no name of a person exempted by address, neither by searching nor from a key", async () => {
    const { university, course, staff, enroll, member } = await term();
    const required = await make.course(university.id);
    const path = `/courses/${course.id}/exemptions`;
    const hidden = await make.person({ full_name: "Hidden Stranger", made_by_university_id: university.id });
    const stranger = await make.person();
    const known = await make.person({ full_name: "Known Learner" });
    await enroll(known);
    await needs(course, required);
    for (const { email } of [hidden, known, await member()])
      await world.as(staff).post(path, { email, prerequisite_course_id: required.id });
    const excused = { email: stranger.email, prerequisite_course_id: required.id };
    expect((await world.as(staff).post(path, excused)).status).toBe(202);
    const found = async (query: string) => (await world.as(staff).get(`${path}?${query}`)).body;
    expect(await found("q=hidden")).toEqual([]);
    expect(await found("q=known")).toMatchObject([{ user_id: known.id }]);
    const first = await world.as(staff).get(`${path}?sort=full_name&limit=1`);
    expect(first.body).toMatchObject([{ user_id: hidden.id }]);
    const cursor = /after=([\w-]+)/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    expect(Buffer.from(cursor, "base64url").toString()).not.toMatch(/hidden/);
  });

  /** A course with a prerequisite, and a person who has not completed it. */
  async function withPrerequisite() {
    const { university, course, staff, enroll, member } = await term();
    const required = await make.course(university.id);
    await needs(course, required);
    const person = await member();
    const path = `/courses/${course.id}/exemptions`;
    const body = { user_id: person.id, prerequisite_course_id: required.id };
    expect((await enroll(person)).status).toBe(400);
    return { course, staff, enroll, person, path, body };
  }

  test("exempt a person from a prerequisite, once, and list exempted people", async () => {
    const { course, staff, person, path, body } = await withPrerequisite();
    expect((await world.as(person).post(path, body)).status).toBe(403);
    const granted = await world.as(staff).post(path, body);
    expect([granted.status, granted.body]).toMatchObject([201, { ...body, granted_by_user_id: staff.id }]);
    expect(world.log.at(-1)).toMatchObject({ db_query_count: 2 });
    expect((await world.as(staff).post(path, body)).status).toBe(400);
    const other = await world.as(staff).post(path, { ...body, prerequisite_course_id: course.id });
    expect([other.status, other.body.detail]).toEqual([
      400,
      `Exemption prerequisite_course_id '${course.id}' is not a prerequisite of this course`,
    ]);
    expect((await world.as(staff).get(`${path}?user_id=${person.id}`)).body).toEqual([granted.body]);
    expect((await world.as(staff).get(`${path}?user_id=${staff.id}`)).body).toEqual([]);
  });

  test("let an exempted person enroll while the exemption lasts", async () => {
    const { staff, enroll, person, path, body } = await withPrerequisite();
    const granted = await world.as(staff).post(path, body);
    const { body: enrollment } = await enroll(person);
    expect(enrollment.status).toBe("ACTIVE");

    await world.as(person).put(`/enrollments/${enrollment.id}`, { status: "DROPPED" });
    expect((await world.as(staff).delete(`${path}/${granted.body.id}`)).status).toBe(204);
    expect((await world.as(staff).delete(`${path}/${granted.body.id}`)).body.detail).toBe(
      "Exemption not found",
    );
    expect((await enroll(person)).status).toBe(400);
  });
});

describe("an offering with a key", () => {
  test("admits people with its key, shows the key to staff only, and never admits without one", async () => {
    const { university, path, staff, enroll, put } = await term({
      enrollment_mode: "KEY",
      enrollment_key: "lovelace",
    });
    const person = await make.person();
    for (const key of [{}, { enrollment_key: "Lovelace" }]) {
      const reply = await enroll(person, key);
      expect([reply.status, reply.body.detail]).toEqual([403, "Wrong enrollment key"]);
    }
    const { body: enrollment } = await enroll(person, { enrollment_key: "lovelace" });
    expect(enrollment.status).toBe("ACTIVE");
    await put(person, enrollment.id, "DROPPED");
    expect((await put(person, enrollment.id, "ACTIVE")).body.detail).toBe("Wrong enrollment key");

    for (const where of [path, path.replace(/\/\d+$/, "")])
      for (const [caller, seen] of [
        [person, false],
        [undefined, false],
        [staff, true],
      ] as const)
        expect((await world.as(caller).get(where)).text.includes("lovelace")).toBe(seen);
    const instructor = world.as(await make.holder("instructor", university.id));
    for (const change of [{ enrollment_key: null }, { enrollment_key: "" }]) {
      const reply = await instructor.put(path, change);
      expect([reply.status, reply.body.detail[0].loc]).toEqual([422, ["body", "enrollment_key"]]);
    }
  });

  test("needs a new key of 8 characters or more, and keeps a shorter former one until it is changed", async () => {
    const { university, course, offering, path, staff, enroll } = await term({
      enrollment_mode: "KEY",
      enrollment_key: "engine",
    });
    const instructor = world.as(await make.holder("instructor", university.id));
    const tooShort = [422, ["body", "enrollment_key"], "String should have at least 8 characters"];
    const told = ({
      status,
      body,
    }: {
      status: number;
      body: { detail: { loc: string[]; msg: string }[] };
    }) => [status, body.detail[0]?.loc, body.detail[0]?.msg];
    const offerings = `/courses/${course.id}/offerings`;
    expect(told(await instructor.post(offerings, { enrollment_key: "7 chars" }))).toEqual(tooShort);
    expect((await instructor.post(offerings, { enrollment_key: "8 chars!" })).status).toBe(201);
    expect(told(await instructor.put(path, { enrollment_key: "motor", capacity: 7 }))).toEqual(tooShort);
    expect((await world.as(staff).put(path, { enrollment_key: "motor" })).status).toBe(403);
    const same = await instructor.put(path, { enrollment_key: "engine", capacity: 9 });
    expect([same.status, same.body.capacity]).toEqual([200, 9]);
    expect((await enroll(await make.person(), { enrollment_key: "engine" })).status).toBe(201);
    expect((await instructor.put(path, { enrollment_key: "analytical" })).status).toBe(200);
    expect(told(await instructor.put(path, { enrollment_key: "engine" }))).toEqual(tooShort);
    const missing = `${offerings}/${offering.id + 1000}`;
    expect((await instructor.put(missing, { enrollment_key: "engine" })).status).toBe(404);
  });

  test("looks at ten wrong keys of a person in an hour, and at no right one after them", async () => {
    const { enroll } = await term({ enrollment_mode: "KEY", enrollment_key: "lovelace" });
    const [guesser, other] = [await make.person(), await make.person()];
    // Concurrently: every guess must count.
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, turn) => enroll(guesser, { enrollment_key: `guess number ${turn}` })),
    );
    const counted = (status: number) => guesses.filter((reply) => reply.status === status).length;
    expect([counted(403), counted(429)]).toEqual([10, 20]);
    const right = await enroll(guesser, { enrollment_key: "lovelace" });
    expect([right.status, right.body.detail, right.headers.get("retry-after")]).toEqual([
      429,
      "Too many wrong enrollment keys. Try again later",
      "3600",
    ]);
    expect((await enroll(other, { enrollment_key: "lovelace" })).status).toBe(201);
    world.setNow("2026-03-10T13:00:00.000Z");
    try {
      expect((await enroll(guesser, { enrollment_key: "lovelace" })).status).toBe(201);
    } finally {
      world.setNow(now);
    }
  });

  test("checks at most a thousand wrong keys in an hour, from all callers together", async () => {
    const { offering, enroll } = await term({ enrollment_mode: "KEY", enrollment_key: "lovelace" });
    await world.deps.db.insert(rateLimits).values({
      name: `wrong keys of offering ${offering.id}`,
      used: 999,
      ends_at: "2026-03-10T13:00:00.000Z",
    });
    const people = await Promise.all(Array.from({ length: 4 }, () => make.person()));
    const guesses = await Promise.all(people.map((one) => enroll(one, { enrollment_key: "a steam engine" })));
    expect(guesses.map(({ status }) => status).sort()).toEqual([403, 429, 429, 429]);
    expect((await enroll(await make.person(), { enrollment_key: "lovelace" })).status).toBe(429);
  });

  test("gives 100 concurrent people as many seats as it has, and a position in line to the rest", async () => {
    const { enroll } = await term({ enrollment_mode: "KEY", enrollment_key: "an engine", capacity: 30 });
    const people = await Promise.all(Array.from({ length: 100 }, () => make.person()));
    const replies = await Promise.all(
      people.map((person, turn) => enroll(person, { enrollment_key: turn % 10 ? "an engine" : "steam" })),
    );
    const counted = (status: number) => replies.filter((reply) => reply.status === status).length;
    expect([counted(201), counted(403)]).toEqual([90, 10]);
    const waiting = replies.flatMap(({ body }) => (body.status === "WAITLISTED" ? [body.position] : []));
    expect(waiting.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 60 }, (_, number) => number + 1),
    );
  });

  test("or one by staff admits no one automatically", async () => {
    const { staff, enroll, member } = await term({ enrollment_mode: "STAFF" });
    const person = await member();
    const own = await enroll(person);
    expect([own.status, own.body.detail]).toEqual([403, "Only staff can enroll people here"]);
    expect((await enroll(staff, { user_id: person.id })).status).toBe(201);
  });
});
