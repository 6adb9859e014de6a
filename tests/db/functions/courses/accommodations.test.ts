import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { universityRightCondition } from "../../../../lib/identity/universities/offices.ts";
import { closedQuiz } from "../../../support/closed-quiz.ts";
import { openSession } from "../session.ts";

const { rows, value, column } = openSession();

const at = "2026-03-01 12:00Z";

/** Ada takes the first offering, whose first item is a quiz of an hour that closes on the 10th at 22:00 in Berlin. */
beforeEach(async () => {
  await rows("update universities set time_zone = 'Europe/Berlin'");
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  await rows(`update content_items set data_json = '{"time_limit_seconds": 3600}', due_at = '2026-03-27 21:00Z',
    content_type_id = (select id from content_types where name = 'quiz') where id = 1`);
});

const give = (numbers: object, person = 1) =>
  rows(`select time_factor::float8, extra_days from grant_accommodation_and_extend_work(1, ${person},
    '${JSON.stringify({ time_factor: 1, extra_days: 0, ...numbers })}', 2, '${at}', '{"at": "2026-03-01T12:00:00Z"}')`);

it("grant_accommodation_and_extend_work is for the university's people, replaces the former one, and notifies", async () => {
  expect(await give({ time_factor: 1.5 }, 3)).toEqual([]);
  await give({ time_factor: 1.5 });
  expect(await give({ extra_days: 2 })).toEqual([{ time_factor: 1, extra_days: 2 }]);
  expect(await column("select details ->> 'extra_days' from audit_events order by id")).toEqual(["0", "2"]);
});

it("grant_accommodation_and_extend_work keeps what is absent, and audits all of it", async () => {
  const grant = (given: object) =>
    rows(`select time_factor::float8, extra_days, valid_until::text from grant_accommodation_and_extend_work(1, 1,
      '${JSON.stringify(given)}', 2, '${at}', '{"at": "2026-03-01T12:00:00Z"}')`);
  const none = { time_factor: 1, extra_days: 0, valid_until: null };
  const all = { time_factor: 1.5, extra_days: 2, valid_until: "2026-03-05" };
  for (const [given, present] of [
    [{}, none],
    [all, all],
    [{}, all],
    [{ time_factor: 2 }, { ...all, time_factor: 2 }],
    [{ extra_days: 0 }, { ...all, time_factor: 2, extra_days: 0 }],
    [{ valid_until: null }, { ...none, time_factor: 2 }],
  ])
    expect([given, await grant(given as object)]).toEqual([given, [present]]);
  expect(await value("select details from audit_events order by id desc limit 1")).toEqual({
    ...none,
    time_factor: 2,
  });
});

it("lock_offering_grades_of_person and enrollments_before_write lock a person's offerings", async () => {
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 2)");
  const held = () =>
    column(`select mode || ' ' || count(*) from pg_locks
    where locktype = 'advisory' and pid = pg_backend_pid() group by mode order by 1`);
  // Of both enrollments; beforeEach created one of them.
  expect(await held()).toEqual(["ShareLock 1"]);
  await rows("select lock_offering_grades_of_person(1, 1)");
  expect(await held()).toEqual(["ExclusiveLock 2", "ShareLock 1"]);
  expect(
    await value("select lock_key_of_person_enrollments(1, 1) = lock_key_of_person_enrollments(1, 2)"),
  ).toBe(false);
});

it("valid_accommodation_of_person a person ends after its last day there", async () => {
  await give({ extra_days: 1, valid_until: "2026-03-05" });
  const days = (moment: string) =>
    value(`select extra_days from valid_accommodation_of_person(1, 1, '${moment}')`);
  expect(await days("2026-03-05 22:59Z")).toBe(1);
  expect(await days("2026-03-05 23:00Z")).toBeUndefined();
});

it("moment_plus_accommodation_days keeps the time of the day, and a missing date stays missing", async () => {
  await give({ extra_days: 3 });
  const later = (moment: string) => value(`select moment_plus_accommodation_days('${moment}', 1, 1)::text`);
  // The clocks are changed on the 29th.
  expect(await later("2026-03-27 21:00Z")).toBe("2026-03-30 20:00:00+00");
  expect(await later("infinity")).toBe("infinity");
  expect(await later("9999-12-31 12:00Z")).toBe("9999-12-31 23:59:59+00");
  expect(await value("select moment_plus_accommodation_days('2026-03-27Z', 2, 1)::date::text")).toBe(
    "2026-03-27",
  );
});

it("quiz_attempt_deadline adds the time to limit and closing, and effective_dates_of_items and effective_dates_of_modules the days", async () => {
  await rows("update modules set due_at = '2026-03-20Z' where id = 1");
  const deadline = (started: string) =>
    value(`select quiz_attempt_deadline(1, 1, 1, '${started}', '${at}')::text`);
  expect(await deadline("2026-03-27 20:30Z")).toBe("2026-03-27 21:00:00+00");
  await give({ time_factor: 2 });
  expect(await deadline("2026-03-27 20:30Z")).toBe("2026-03-27 22:00:00+00");
  expect(await deadline("2026-03-27 12:00Z")).toBe("2026-03-27 14:00:00+00");
  await give({ extra_days: 1 });
  expect(
    await column(
      "select due_at::date::text from effective_dates_of_items(1, 1, array[1, 2]) order by item_id",
    ),
  ).toEqual(["2026-03-28", "2026-03-21"]);
  expect(
    await value("select due_at::date::text from effective_dates_of_modules(1, 1) where module_id = 1"),
  ).toBe("2026-03-21");
  expect(await value(closedQuiz(1, 1, "2026-03-27 22:00Z"))).toBe(false);
  expect(await value(closedQuiz(1, 1, "2026-03-28 22:00Z"))).toBe(true);
});

it("remind_people_of_items_due_soon reminds people with extra days by their date", async () => {
  await give({ extra_days: 3 });
  const remind = (moment: string) =>
    value(`select remind_people_of_items_due_soon('${moment}', interval '24 hours', 10)`);
  await remind("2026-03-27 12:00Z");
  expect(await value("select count(*)::int from notifications")).toBe(0);
  await remind("2026-03-30 12:00Z");
  expect(await rows("select user_id, due_at from notifications")).toEqual([
    { user_id: 1, due_at: new Date("2026-03-30T20:00:00Z") },
  ]);
});

it("an office needs a grant and no suspension", async () => {
  const holds = () =>
    value(sql`select ${universityRightCondition(sql`1`, sql`1`, sql`'accommodation:write'`)}`);
  expect(await holds()).toBe(false);
  await rows(
    `insert into university_offices (university_id, user_id, office_right) values (1, 1, 'accommodation:write')`,
  );
  expect(await holds()).toBe(true);
  await rows("update university_members set is_active = false where user_id = 1");
  expect(await holds()).toBe(false);
});
