import { describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { column, rows, value, refusal } = openSession();

const enroll = (person: number, offering = 1, moment = "2026-03-01") =>
  rows(`select refusal, missing, (enrollment).status from enroll(${offering}, ${person}, '${moment}')`);
const statuses = () => column("select status from enrollments where course_offering_id = 1 order by user_id");

describe("enroll", () => {
  it("gives a seat, then one on the waiting list, and reports existing enrollments", async () => {
    expect(await enroll(1)).toEqual([{ refusal: null, missing: null, status: "active" }]);
    expect(await enroll(2)).toEqual([{ refusal: null, missing: null, status: "waitlisted" }]);
    expect(await enroll(2)).toMatchObject([{ refusal: "already_enrolled" }]);
    expect(await column("select role from user_university_roles order by user_id")).toEqual([
      "student",
      "student",
    ]);
  });

  it("returns no row for a deleted offering", async () => {
    expect(await enroll(1, 99)).toEqual([]);
  });
});

it("count_free_seats counts the active against the capacity, and nothing without one", async () => {
  const free = "select count_free_seats(o)::int from course_offerings as o where id < 3 order by id";
  expect(await column(free)).toEqual([1, null]);
  await enroll(1);
  expect(await column(free)).toEqual([0, null]);
});

it("fill_seats_from_waitlist_and_notify gives free seats in the order of the list, and skips one person", async () => {
  for (const person of [1, 2, 3]) await enroll(person);
  await rows("update enrollments set status = 'dropped' where user_id = 1");
  await rows(
    "select fill_seats_from_waitlist_and_notify(1, '2026-03-02', (select id from enrollments where user_id = 2))",
  );
  expect(await statuses()).toEqual(["dropped", "waitlisted", "active"]);
});

it.each(["ends_at", "enrollment_end"])(
  "fill_seats_from_waitlist_and_notify admits no one after %s, as is_waitlist_closed says",
  async (end) => {
    for (const person of [1, 2]) await enroll(person);
    await rows(`update course_offerings set ${end} = '2026-03-02', capacity = 2 where id = 1`);
    const closed = (moment: string) =>
      value(`select is_waitlist_closed(o, '${moment}') from course_offerings as o where id = 1`);
    expect([await closed("2026-03-02"), await closed("2026-03-02 00:00:01")]).toEqual([false, true]);
    await rows("select fill_seats_from_waitlist_and_notify(1, '2026-03-03')");
    expect(await statuses()).toEqual(["active", "waitlisted"]);
    await rows("select fill_seats_from_waitlist_and_notify(1, '2026-03-02')");
    expect(await statuses()).toEqual(["active", "active"]);
  },
);

it("waitlist_position counts waiting people from 1, and no others", async () => {
  for (const person of [1, 2, 3]) await enroll(person);
  expect(await column("select waitlist_position(e) from enrollments as e order by user_id")).toEqual([
    null,
    1,
    2,
  ]);
});

it("enroll takes the offering's key, or the staff", async () => {
  const mode = (key: string) => value(`select refusal from enroll(1, 1, '2026-03-01', ${key})`);
  await rows("update course_offerings set enrollment_mode = 'key', enrollment_key = 'engine' where id = 1");
  expect([await mode("'Engine'"), await mode("null")]).toEqual(["wrong_key", "wrong_key"]);
  await rows("savepoint before");
  expect(await mode("'engine'")).toBeNull();
  await rows("rollback to savepoint before");
  await rows("update course_offerings set enrollment_mode = 'staff' where id = 1");
  expect(await mode("'engine'")).toBe("by_staff");
  expect(
    (await refusal("update course_offerings set enrollment_mode = 'key', enrollment_key = null")).constraint,
  ).toBe("course_offerings_enrollment_key_check");
});

it("enroll counts wrong keys of a person and of an offering, and beyond the limit answers the same for a correct one", async () => {
  await rows("update course_offerings set enrollment_mode = 'key', enrollment_key = 'engine' where id = 1");
  const say = (person: number, key: string) =>
    rows(`delete from enrollments where user_id = ${person}`).then(() =>
      value(`select refusal from enroll(1, ${person}, '2026-03-10T12:30Z', ${key})`),
    );
  expect([await say(1, "'engine'"), await say(1, "null")]).toEqual([null, "wrong_key"]);
  expect(await rows("select from rate_limits")).toEqual([]);
  for (let turn = 0; turn < 10; turn++) expect(await say(1, "'steam'")).toBe("wrong_key");
  expect([await say(1, "'steam'"), await say(1, "'engine'")]).toEqual(["too_many_keys", "too_many_keys"]);
  expect([await say(2, "'engine'"), await say(2, "'steam'")]).toEqual([null, "wrong_key"]);
  expect(await rows("select name, used, ends_at from rate_limits order by name")).toEqual(
    [
      ["wrong keys of offering 1", 11],
      ["wrong keys of offering 1 by person 1", 10],
      ["wrong keys of offering 1 by person 2", 1],
    ].map(([name, used]) => ({ name, used, ends_at: new Date("2026-03-10T13:00Z") })),
  );
  await rows("update rate_limits set used = 1000 where name = 'wrong keys of offering 1'");
  expect(await say(3, "'engine'")).toBe("too_many_keys");
  await rows("update course_offerings set enrollment_mode = 'open' where id = 1");
  expect(await say(3, "'steam'")).toBeNull();
});

it("enrollments_before_write sets the completion source, and the seat", async () => {
  await rows(
    "insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'completed'), (2, 1, 'dropped')",
  );
  const kept = (set: string) =>
    rows(`update enrollments set ${set} where user_id = 2 returning completion_source, is_admitted`);
  expect(await rows("select completion_source, is_admitted from enrollments where user_id = 1")).toEqual([
    { completion_source: "staff", is_admitted: true },
  ]);
  const self = "status = 'completed', completion_source = 'self'";
  expect(await kept(self)).toEqual([{ completion_source: "self", is_admitted: false }]);
  expect(await kept("status = 'active'")).toEqual([{ completion_source: null, is_admitted: true }]);
  expect(await kept(self)).toEqual([{ completion_source: "self", is_admitted: true }]);
  expect(await kept("status = 'completed', completion_source = 'staff'")).toMatchObject([
    { is_admitted: true },
  ]);
});

it("is_admitted_to_course and current_offerings look at the offerings of the course", async () => {
  await rows("insert into course_offerings (course_id, university_id) values (1, 1)");
  await rows(`insert into enrollments (user_id, course_offering_id, status, enrolled_at)
    values (1, 1, 'active', '2026-03-01'), (1, 4, 'waitlisted', '2026-03-02'), (2, 1, 'dropped', '2026-03-03')`);
  const query =
    "select is_admitted_to_course(person, course) from (values (1, 1), (1, 2), (2, 1)) as v (person, course)";
  expect(await column(query)).toEqual([true, false, false]);
  const current =
    "select (select course_offering_id from current_offerings where user_id = person and course_id = 1)";
  expect(await column(`${current} from generate_series(1, 2) as person`)).toEqual([4, null]);
});

it("next_waitlist_timestamp is later than everyone who waits, with any difference of clocks", async () => {
  await enroll(1);
  await enroll(2, 1, "2026-03-05");
  expect(await value("select next_waitlist_timestamp(1, '2026-03-02')::text")).toBe(
    "2026-03-05 00:00:00.001+00",
  );
  expect(await value("select next_waitlist_timestamp(1, '2026-03-06')::text")).toBe("2026-03-06 00:00:00+00");
});

describe("with a strict prerequisite", () => {
  const need = "insert into course_prerequisites (course_id, prerequisite_course_id) values (1, 2)";
  const unmet = "select unmet_strict_prerequisites_text(o, 1) from course_offerings as o where id = 1";

  it("unmet_prerequisites names courses that the person has completed in no offering", async () => {
    await rows(need);
    expect(await value(unmet)).toBe("AE Analytical engines");
    await rows("insert into enrollments (user_id, course_offering_id, status) values (1, 2, 'completed')");
    expect(await value(unmet)).toBeNull();
    await rows("update enrollments set completion_source = 'self'");
    expect(await value(unmet)).toBe("AE Analytical engines");
    await rows("insert into course_exemptions (course_id, prerequisite_course_id, user_id) values (1, 2, 1)");
    expect(await value(unmet)).toBeNull();
    await rows("delete from course_prerequisites");
    expect(await value("select count(*)::int from course_exemptions")).toBe(0);
  });

  it("unmet_prerequisites names no course that the person cannot see", async () => {
    await rows(need);
    await rows("update courses set is_published = false where id = 2");
    expect(await value(unmet)).toBe("another course");
    await rows("insert into user_university_roles (user_id, university_id, role) values (1, 1, 'ta')");
    expect(await value(unmet)).toBe("AE Analytical engines");
  });

  it("enrollment_window_or_prerequisite_refusal says so, after the time of enrollment", async () => {
    await rows(need);
    await rows(
      "update course_offerings set enrollment_start = '2026-03-01', enrollment_end = '2026-03-02' where id = 1",
    );
    const at = (moment: string) =>
      rows(
        `select r.* from course_offerings as o, enrollment_window_or_prerequisite_refusal(o, 1, '${moment}') as r where o.id = 1`,
      );
    expect(await at("2026-02-28")).toEqual([{ refusal: "not_open", missing: null }]);
    expect(await at("2026-03-01")).toEqual([
      { refusal: "unmet_prerequisites", missing: "AE Analytical engines" },
    ]);
  });
});

describe("set_enrollment_status_and_fill_seat", () => {
  const move = (person: number, wanted: string, byOwner = false) =>
    rows(`select refusal, (enrollment).status from set_enrollment_status_and_fill_seat(
      (select id from enrollments where user_id = ${person}), '${wanted}', ${byOwner}, '2026-03-03')`);

  it("gives a freed seat to the next in line", async () => {
    for (const person of [1, 2]) await enroll(person);
    expect(await move(1, "dropped")).toEqual([{ refusal: null, status: "dropped" }]);
    expect(await statuses()).toEqual(["dropped", "active"]);
  });

  it("lets staff exceed an offering's capacity, and not the owner", async () => {
    for (const person of [1, 2]) await enroll(person);
    await move(2, "dropped");
    expect(await move(2, "active", true)).toEqual([{ refusal: "full", status: "dropped" }]);
    expect(await move(2, "active")).toEqual([{ refusal: null, status: "active" }]);
  });
});

it("set_enrollment_status_and_fill_seat lets an owner leave the waiting list, and nothing else", async () => {
  for (const person of [1, 2]) await enroll(person);
  const move = (wanted: string) =>
    rows(`select refusal, (enrollment).status, waits_at from set_enrollment_status_and_fill_seat(
      (select id from enrollments where user_id = 2), '${wanted}', true, '2026-03-03')`);
  for (const wanted of ["active", "completed", "pending"])
    expect(await move(wanted)).toEqual([{ refusal: "waiting", status: "waitlisted", waits_at: 1 }]);
  expect(await move("dropped")).toEqual([{ refusal: null, status: "dropped", waits_at: null }]);
});

it("lock_course_seats_of_offering locks the course of an offering against its deletion, and its seats", async () => {
  await rows("select lock_course_seats_of_offering(1)");
  expect(await column("select id from courses where xmax = pg_current_xact_id()::xid")).toEqual([1]);
  const held = "select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()";
  expect(await value(held)).toBe(1);
  await rows(
    "select lock_course_seats_of_offering(1), lock_course_seats_of_offering(2), lock_course_seats_of_offering(99)",
  );
  expect(await value(held)).toBe(2);
});

describe("two runs of a course", () => {
  const offer = async (of = "course_id, university_id", values = "1, 1") =>
    Number(await value(`insert into course_offerings (${of}) values (${values}) returning id`));
  const isSame = (other: number) =>
    value(`select is_same_course_and_term(one, other) from course_offerings as one, course_offerings as other
      where one.id = 1 and other.id = ${other}`);
  const set = (offering: number, what: string) =>
    rows(`update course_offerings set ${what} where id = ${offering}`);

  it("is_same_course_and_term compares their terms, without one their times, and their courses", async () => {
    await rows(`insert into terms (id, university_id, name, starts_on, ends_on) overriding system value values
      (1, 1, 'Spring', '2026-02-01', '2026-06-01'), (2, 1, 'Autumn', '2026-09-01', '2026-12-01')`);
    const other = await offer();
    expect([await isSame(1), await isSame(other), await isSame(2)]).toEqual([true, true, false]);
    await set(1, "starts_at = '2026-02-01', ends_at = '2026-06-01'");
    expect(await isSame(other)).toBe(true);
    await set(other, "starts_at = '2026-06-01'");
    expect(await isSame(other)).toBe(false);
    await set(other, "starts_at = '2026-05-31'");
    expect(await isSame(other)).toBe(true);
    await set(1, "term_id = 1");
    expect(await isSame(other)).toBe(true);
    await set(other, "term_id = 2");
    expect(await isSame(other)).toBe(false);
    await set(other, "term_id = 1, starts_at = '2027-01-01'");
    expect(await isSame(other)).toBe(true);
  });

  it("has_seat_in_parallel_offering is an active enrollment, while neither is over", async () => {
    const other = await offer();
    const has = (moment = "2026-03-01") =>
      value(
        `select has_seat_in_parallel_offering(o, 1, '${moment}') from course_offerings as o where id = ${other}`,
      );
    expect(await has()).toBe(false);
    await enroll(1);
    expect(await has()).toBe(true);
    for (const status of ["waitlisted", "pending", "dropped", "completed"]) {
      await rows(`update enrollments set status = '${status}'`);
      expect(await has(), status).toBe(false);
    }
    await rows("update enrollments set status = 'active'");
    for (const id of [1, other]) {
      await set(id, "ends_at = '2026-03-01'");
      expect([await has(), await has("2026-03-02")]).toEqual([true, false]);
      await set(id, "ends_at = null");
    }
  });

  it("enroll and fill_seats_from_waitlist_and_notify give a person a seat in one of them, and fill_seats_freed_by_person on the other's list", async () => {
    const other = await offer("course_id, university_id, capacity", "1, 1, 1");
    await enroll(1);
    expect(await enroll(1, other)).toMatchObject([{ refusal: "enrolled_in_course" }]);
    await enroll(2, other);
    expect(await enroll(1, other)).toMatchObject([{ refusal: null, status: "waitlisted" }]);
    await enroll(3, other);
    await set(other, "capacity = 2");
    await rows(`select fill_seats_from_waitlist_and_notify(${other}, '2026-03-02')`);
    const inOther = () =>
      column(`select status from enrollments where course_offering_id = ${other} order by user_id`);
    expect(await inOther()).toEqual(["waitlisted", "active", "active"]);
    await set(other, "capacity = 3");
    await rows("update enrollments set status = 'dropped' where user_id = 1 and course_offering_id = 1");
    await rows("select fill_seats_freed_by_person(1, 1, '2026-03-02')");
    expect(await inOther()).toEqual(["active", "active", "active"]);
  });

  it("enroll a person twice only by staff, which is recorded", async () => {
    const [second, third] = [await offer(), await offer()];
    await enroll(1);
    const enrolled = (offering: number, rest: string) =>
      rows(`select refusal from enroll(${offering}, 1, '2026-03-01', null, 3, ${rest})`);
    const request = `'{"at": "2026-03-01Z"}'`;
    expect(await enrolled(second, `false, ${request}`)).toEqual([{ refusal: "enrolled_in_course" }]);
    expect(await enrolled(second, `false, ${request}, true`)).toEqual([{ refusal: null }]);
    await rows(`update course_offerings set enrollment_end = '2026-02-01' where id = ${third}`);
    expect(await enrolled(third, `true, ${request}`)).toEqual([{ refusal: null }]);
    const passed = "select details ->> 'passed' from audit_events where details ? 'passed' order by id";
    expect(await column(passed)).toEqual(["enrolled_in_course", "not_open, enrolled_in_course"]);
  });
});

it("enrollments_before_write sets the university of the offering, regardless of the input", async () => {
  const made =
    "insert into enrollments (user_id, course_offering_id, university_id) values (1, 1, 99) returning university_id";
  expect(await value(made)).toBe(1);
  expect(
    (await refusal("insert into enrollments (user_id, course_offering_id) values (1, 99)")).constraint,
  ).toBeUndefined();
});

it("enrollments_before_write stores the time of the last drop", async () => {
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

describe("refusal_of_inactive_university_or_person, universities_after_write and fill_seats_after_reactivation", () => {
  const switchTo = (active: boolean, table: string, id = 1) =>
    rows(
      table === "users"
        ? `select set_account_active(${id}, ${active}, 3, '{"at": "2026-03-02T12:00:00Z"}')`
        : `update ${table} set is_active = ${active} where id = ${id}`,
    );

  it("keep everyone out of an inactive university, and an inactive person out of every course", async () => {
    const refused = (offering: number, person: number, rest = "") =>
      value(`select refusal from enroll(${offering}, ${person}, '2026-03-01'${rest})`);
    await enroll(1, 2);
    await rows("update enrollments set status = 'dropped'");
    await switchTo(false, "universities");
    expect(await refused(2, 1)).toBe("inactive_university");
    // Also by the staff, and with an override.
    expect(await refused(2, 2, ", null, 3, true, '{}'")).toBe("inactive_university");
    const back =
      "select refusal from set_enrollment_status_and_fill_seat(e.id, 'active', false, '2026-03-01')";
    expect(await value(`select (${back}) from enrollments as e`)).toBe("inactive_university");
    const done =
      "select refusal from set_enrollment_status_and_fill_seat(e.id, 'completed', false, '2026-03-01')";
    expect(await value(`select (${done}) from enrollments as e`)).toBeNull();
    expect(await value("select refusal_of_inactive_university_or_person(1, 1)")).toBe("inactive_university");
    await switchTo(true, "universities");
    expect(await value("select refusal_of_inactive_university_or_person(1, 1)")).toBeNull();
    await switchTo(false, "users", 2);
    expect(await refused(2, 2)).toBe("inactive_person");
    expect(await refused(2, 3)).toBeNull();
  });

  it.each(["universities", "users"])(
    "keep waiting people on the list until %s are active again",
    async (table) => {
      for (const person of [2, 1, 3]) await enroll(person);
      await switchTo(false, table);
      const drop =
        "select set_enrollment_status_and_fill_seat(id, 'dropped', true, '2026-03-02') from enrollments where user_id = 2";
      await rows(drop);
      const passed =
        table === "users" ? ["waitlisted", "dropped", "active"] : ["waitlisted", "dropped", "waitlisted"];
      expect(await statuses()).toEqual(passed);
      if (table === "users") await rows("update enrollments set status = 'dropped' where user_id = 3");
      await switchTo(true, table);
      const seated = await statuses();
      expect(seated[0]).toBe("active");
      await rows("select fill_seats_after_reactivation(1, null), fill_seats_after_reactivation(null, 1)");
      expect(await statuses()).toEqual(seated);
    },
  );
});

it("a person who dropped a course after an attempt is among its learners until its end, else the last day of its term, else always", async () => {
  const isOver = (moment: string) =>
    rows(
      `select set_config('service.clock_offset', extract(epoch from timestamptz '${moment}' - now()) || ' s', true)`,
    ).then(() => value("select not exists (select from learners where user_id = 1)"));
  await rows("insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'dropped')");
  await rows("insert into quiz_attempts (user_id, course_offering_id, content_item_id) values (1, 1, 1)");
  expect(await isOver("2999-01-01Z")).toBe(false);
  await rows(
    `insert into terms (university_id, name, starts_on, ends_on) values (1, 'Lent', '2026-01-10', '2026-03-20')`,
  );
  await rows("update universities set time_zone = 'Asia/Tokyo' where id = 1");
  await rows("update course_offerings set term_id = (select max(id) from terms) where id = 1");
  expect([await isOver("2026-03-20 14:59Z"), await isOver("2026-03-20 15:00Z")]).toEqual([false, true]);
  await rows("update course_offerings set ends_at = '2026-04-01' where id = 1");
  expect([await isOver("2026-03-31Z"), await isOver("2026-04-01Z")]).toEqual([false, true]);
});
