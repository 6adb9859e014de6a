import { describe, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { column, rows, value, refusal } = openSession();

const enroll = (person: number, offering = 1, moment = "2026-03-01") =>
  rows(`select refusal, missing, (enrollment).status from enroll(${offering}, ${person}, '${moment}')`);
const statuses = () => column("select status from enrollments where course_offering_id = 1 order by user_id");

describe("enroll", () => {
  it("gives a place, then one on the waiting list, and says who is enrolled already", async () => {
    expect(await enroll(1)).toEqual([{ refusal: null, missing: null, status: "active" }]);
    expect(await enroll(2)).toEqual([{ refusal: null, missing: null, status: "waitlisted" }]);
    expect(await enroll(2)).toMatchObject([{ refusal: "already_enrolled" }]);
    expect(await column("select role from user_university_roles order by user_id")).toEqual([
      "student",
      "student",
    ]);
  });

  it("answers no row for an offering that is gone", async () => {
    expect(await enroll(1, 99)).toEqual([]);
  });
});

it("is_full counts the active against the capacity; without one nothing is full", async () => {
  const full = "select is_full(o) from course_offerings as o where id < 3 order by id";
  expect(await column(full)).toEqual([false, false]);
  await enroll(1);
  expect(await column(full)).toEqual([true, false]);
});

it("fill_places gives free places in the order of the list, and passes one over", async () => {
  for (const person of [1, 2, 3]) await enroll(person);
  await rows("update enrollments set status = 'dropped' where user_id = 1");
  await rows("select fill_places(1, (select id from enrollments where user_id = 2))");
  expect(await statuses()).toEqual(["dropped", "waitlisted", "active"]);
});

it("course_offerings_fill_places gives the places that a larger capacity makes", async () => {
  for (const person of [1, 2, 3]) await enroll(person);
  await rows("update course_offerings set capacity = 2 where id = 1");
  expect(await statuses()).toEqual(["active", "active", "waitlisted"]);
});

it("end_of_waiting_list is later than everyone who waits, however the clocks differ", async () => {
  await enroll(1);
  await enroll(2, 1, "2026-03-05");
  expect(await value("select end_of_waiting_list(1, '2026-03-02')::text")).toBe("2026-03-05 00:00:00.001+00");
  expect(await value("select end_of_waiting_list(1, '2026-03-06')::text")).toBe("2026-03-06 00:00:00+00");
});

describe("with a strict prerequisite", () => {
  const need = "insert into course_prerequisites (course_id, prerequisite_course_id) values (1, 2)";
  const unmet = "select unmet_prerequisites(o, 1) from course_offerings as o where id = 1";

  it("unmet_prerequisites names what the person has completed in no offering", async () => {
    await rows(need);
    expect(await value(unmet)).toBe("AE Analytical engines");
    await rows("insert into enrollments (user_id, course_offering_id, status) values (1, 2, 'completed')");
    expect(await value(unmet)).toBeNull();
  });

  it("unmet_prerequisites names no course that the person cannot see", async () => {
    await rows(need);
    await rows("update courses set is_published = false where id = 2");
    expect(await value(unmet)).toBe("another course");
    await rows("insert into user_university_roles (user_id, university_id, role) values (1, 1, 'ta')");
    expect(await value(unmet)).toBe("AE Analytical engines");
  });

  it("refusal_to_enroll says so, after the time of enrollment", async () => {
    await rows(need);
    await rows(
      "update course_offerings set enrollment_start = '2026-03-01', enrollment_end = '2026-03-02' where id = 1",
    );
    const at = (moment: string) =>
      rows(`select r.* from course_offerings as o, refusal_to_enroll(o, 1, '${moment}') as r where o.id = 1`);
    expect(await at("2026-02-28")).toEqual([{ refusal: "not_open", missing: null }]);
    expect(await at("2026-03-01")).toEqual([
      { refusal: "unmet_prerequisites", missing: "AE Analytical engines" },
    ]);
  });
});

describe("set_enrollment_status", () => {
  const move = (person: number, wanted: string, byOwner = false) =>
    rows(`select refusal, (enrollment).status from set_enrollment_status(
      (select id from enrollments where user_id = ${person}), '${wanted}', ${byOwner}, '2026-03-03')`);

  it("gives a place that is left to the next in line", async () => {
    for (const person of [1, 2]) await enroll(person);
    expect(await move(1, "dropped")).toEqual([{ refusal: null, status: "dropped" }]);
    expect(await statuses()).toEqual(["dropped", "active"]);
  });

  it("lets staff overfill an offering, and not the owner", async () => {
    for (const person of [1, 2]) await enroll(person);
    expect(await move(2, "active", true)).toEqual([{ refusal: "full", status: "waitlisted" }]);
    expect(await move(2, "active")).toEqual([{ refusal: null, status: "active" }]);
  });
});

it("keep_course locks the course of an offering against its deletion, and nothing else", async () => {
  await rows("select keep_course(1)");
  expect(await column("select id from courses where xmax = pg_current_xact_id()::xid")).toEqual([1]);
});

it("enrollments_take_university sets the university of the offering, whatever is said", async () => {
  const made =
    "insert into enrollments (user_id, course_offering_id, university_id) values (1, 1, 99) returning university_id";
  expect(await value(made)).toBe(1);
  expect(
    (await refusal("insert into enrollments (user_id, course_offering_id) values (1, 99)")).constraint,
  ).toBeUndefined();
});

it("note_drop keeps the moment at which an enrollment was dropped the last time", async () => {
  await enroll(1);
  await rows("update enrollments set status = 'dropped'");
  expect(
    await value(
      "select dropped_at = date_trunc('milliseconds', now()) or dropped_at = now()::timestamptz(3) from enrollments",
    ),
  ).toBe(true);
  await rows("update enrollments set dropped_at = '2026-03-01'");
  await rows("update enrollments set status = 'active'");
  expect(await value("select dropped_at::date::text from enrollments")).toBe("2026-03-01");
  await rows("update enrollments set status = 'dropped'");
  expect(await value("select dropped_at::date = now()::date from enrollments")).toBe(true);
});
