import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { retentionStartSql } from "../../../../lib/operations/retention/retention-start.ts";
import { retentionCutoffSql } from "../../../../lib/operations/retention/work.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { rows, value, column, refusal } = openSession();

const at = "2026-03-01 12:00Z";

/** Ada and Ben take the first offering, whose university is in Berlin. */
beforeEach(async () => {
  await rows("update universities set time_zone = 'Europe/Berlin'");
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1), (2, 1)");
});

const inTerm = async (last: string) => {
  await rows(
    `insert into terms (university_id, name, starts_on, ends_on) values (1, 'Winter', '2025-10-01', '${last}')`,
  );
  await rows(
    "update course_offerings set term_id = (select id from terms where name = 'Winter') where id = 1",
  );
};
const set = (kinds: object, days: number | null = null, moment = at) =>
  value(
    `select set_retention_policy(1, '${JSON.stringify(kinds)}', ${days}, 1, '${moment}', '{"at": "${moment}"}')`,
  );

it("the end of an offering is behind the last day of its term there, else its own end, else nothing", async () => {
  const end = () => value("select ends_at::text from offering_ends where course_offering_id = 1");
  await rows("update course_offerings set term_id = null, starts_at = null, ends_at = null where id = 1");
  expect(await end()).toBeNull();
  await rows("update course_offerings set ends_at = '2026-04-01Z' where id = 1");
  expect(await end()).toBe("2026-04-01 00:00:00+00");
  await inTerm("2026-03-31");
  expect(await end()).toBe("2026-03-31 22:00:00+00");
});

const start = (offering: number, course: number, person = 1) =>
  value(
    sql`select ${retentionStartSql(sql`${person}::int`, sql`${offering}::int`, sql`${course}::int`)}::text`,
  );

it("retentionStartSql of a course without an end is the last activity there, in any offering", async () => {
  const last = (person = 1) => start(0, 1, person);
  expect(await last()).toBeNull();
  await rows(`insert into activity_events (user_id, university_id, verb, object_type, object_id, course_offering_id, occurred_at)
    values (1, 1, 'progressed', 'content_item', 1, 1, '2026-01-02Z')`);
  expect(await last()).toBe("2026-01-02 00:00:00+00");
  await rows(`insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
    values (1, 1, '{}', 'f', 'f')`);
  await rows(`insert into chat_messages (session_id, role, content, created_at)
    select id, 'user', 'hm', '2026-01-03Z' from chat_sessions`);
  expect([await last(), await last(2)]).toEqual(["2026-01-03 00:00:00+00", null]);
});

it("retentionStartSql is the end of an offering, for a course the last of the person's seats, and else the last activity", async () => {
  await rows(
    "update course_offerings set term_id = null, starts_at = null, ends_at = '2026-04-01Z' where id = 1",
  );
  expect(await start(1, 0)).toBe("2026-04-01 00:00:00+00");
  expect(await start(0, 1)).toBe("2026-04-01 00:00:00+00");
  expect(await start(0, 0)).toBeNull();
  // Without a seat nothing ends but by the last act.
  expect(await start(0, 1, 3)).toBeNull();
  await rows("update course_offerings set ends_at = null where id = 1");
  await rows(`insert into activity_events (user_id, university_id, verb, object_type, object_id, course_offering_id, occurred_at)
    values (1, 1, 'progressed', 'content_item', 1, 1, '2026-01-02Z')`);
  expect([await start(1, 0), await start(0, 1)]).toEqual(Array(2).fill("2026-01-02 00:00:00+00"));
});

it("is_under_retention_hold by a hold of a person or an offering, without an offering by one of the person's seats, until its last day", async () => {
  await value("select ensure_and_lock_retention_policy(1)");
  const held = (people: string, offering: number, course: number, moment = at) =>
    value(`select is_under_retention_hold(1, '${people}', ${offering}, ${course}, '${moment}')`);
  expect(await held("{1}", 1, 0)).toBe(false);
  await rows(
    `insert into retention_holds (university_id, user_id, reason, held_until) values (1, 2, 'x', '2026-03-01')`,
  );
  expect([await held("{1,2}", 0, 0), await held("{1}", 1, 0)]).toEqual([true, false]);
  expect([
    await held("{2}", 0, 0, "2026-03-01 22:59Z"),
    await held("{2}", 0, 0, "2026-03-01 23:00Z"),
  ]).toEqual([true, false]);
  await rows("insert into retention_holds (university_id, course_offering_id, reason) values (1, 1, 'x')");
  expect([
    await held("{3}", 1, 0),
    await held("{1}", 0, 1),
    await held("{3}", 0, 1),
    await held("{1}", 0, 0),
  ]).toEqual([true, true, false, false]);
});

it("set_retention_policy keeps absent periods, restarts shorter ones, and deletes no grade before its attempt", async () => {
  expect(await set({ conversations: 180 }, 10)).toMatchObject({ archive_days: 10 });
  await rows(`update retention_periods set counted_at = '${at}'`);
  await set({ conversations: 200 }, null, "2026-03-02 12:00Z");
  expect(await rows("select days, set_at, counted_at from retention_periods")).toEqual([
    { days: 200, set_at: new Date("2026-03-01T12:00:00Z"), counted_at: new Date("2026-03-01T12:00:00Z") },
  ]);
  await set({ conversations: 100, grades: null }, null, "2026-03-02 12:00Z");
  expect(await rows("select days, set_at, counted_at from retention_periods")).toEqual([
    { days: 100, set_at: new Date("2026-03-02T12:00:00Z"), counted_at: null },
  ]);
  expect(
    await refusal(`select set_retention_policy(1, '{"grades": 400}', null, 1, '${at}', '{}')`),
  ).toMatchObject({
    constraint: "retention_grades_last",
  });
  await set({ submissions: 400, grades: 400 });
  expect(
    await refusal(`select set_retention_policy(1, '{"submissions": null}', null, 1, '${at}', '{}')`),
  ).toMatchObject({
    constraint: "retention_grades_last",
  });
  expect(
    await value("select settings -> 'archive_days' from retention_settings where university_id = 1"),
  ).toBe(10);
  expect(await rows("select from retention_settings where university_id = 2")).toEqual([]);
});

it("retentionCutoffSql is a moment once a month is over and the dry run was read", async () => {
  await set({ conversations: 180 });
  const before = (moment: string) =>
    value(`select ${textOf(retentionCutoffSql(sql`'conversations'`, moment))}::date::text
      from retention_policies as policy where university_id = 1`);
  expect(await before("2026-04-30Z")).toBeNull();
  await rows("update retention_periods set counted_at = set_at");
  expect([await before("2026-03-31 11:59Z"), await before("2026-03-31 12:00Z")]).toEqual([
    null,
    "2025-10-02",
  ]);
});

it("prune_audit_events takes those of the university from before, and nothing else may", async () => {
  await rows(`insert into audit_events (occurred_at, action, university_id) values
    ('2024-01-01Z', 'role.granted', 1), ('2024-01-02Z', 'role.granted', 2), ('2026-01-01Z', 'role.granted', 1)`);
  const ids = (await column("select id from audit_events order by id")).join();
  expect(await value(`select prune_audit_events('2025-01-01', null, 1, '{${ids}}')`)).toBe(1);
  expect(await value("select count(*)::int from audit_events")).toBe(2);
});
