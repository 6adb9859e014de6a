import { readFile } from "node:fs/promises";
import pg from "pg";
import { beforeEach, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { atOnce as meet } from "../../support/locks.ts";

let database: TestDatabase;
let one: pg.Client;
let other: pg.Client;

/* Ada and Ben are in offering 1, which has a group with one seat. */
beforeEach(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await database.run(`
    update course_offerings set capacity = null;
    insert into enrollments (user_id, course_offering_id) values (1, 1), (2, 1);
    insert into offering_groups (course_offering_id, name, capacity) values (1, 'one', 1)`);
  [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
  return async () => {
    await Promise.all([one.end(), other.end()]);
    await database.drop();
  };
});

const atOnce = (first: string, second: string) => meet({ database, one, other }, first, second);
const put = (person: number) =>
  `select add_to_group_or_change_role(1, ${person}, 'member', false, 3, '2026-03-01 12:00Z', '{"at": "2026-03-01T12:00:00Z"}')`;
const become = (person: number, status: string) =>
  `select refusal from set_enrollment_status_and_fill_seat(
    (select id from enrollments where user_id = ${person}), '${status}', false, '2026-03-01 12:00Z')`;
const members = async () =>
  (await database.run("select user_id from offering_group_members order by 1")).map(({ user_id }) => user_id);

it("a learner who drops during their assignment is not in the group, in either order", async () => {
  await atOnce(put(1), become(1, "dropped"));
  expect(await members()).toEqual([]);
  await database.run(become(1, "active"));
  expect(await members()).toEqual([]);
  await atOnce(become(1, "dropped"), put(1));
  expect(await members()).toEqual([]);
});

it("a learner who returns while another takes their seat does not exceed the capacity", async () => {
  await database.run(put(1));
  await database.run(become(1, "dropped"));
  await one.query("begin");
  await one.query(put(2));
  // Neither waits for the other.
  await other.query(become(1, "active"));
  await one.query("commit");
  expect(await members()).toEqual([2]);
  const { rows } = await other.query(put(1));
  expect(rows).toEqual([{ add_to_group_or_change_role: "full" }]);
});

it("an early exam and self-enrollment are never both there, whichever comes first", async () => {
  await database.run(`update content_items set data_json = '{"quiz_mode": "exam"}', available_from = '2026-03-10',
    content_type_id = (select id from content_types where name = 'quiz') where id = 2`);
  const date = `select missing from set_offering_or_group_content_dates(
    1, '[{"content_item_id": 2, "available_from": "2026-03-05T08:00:00Z"}]', '2026-03-01 12:00Z', 1)`;
  const change = "select id from update_offering_group(1, 'one', 1, true)";
  const undo = `delete from offering_group_dates; update offering_groups set self_enrollment = false`;
  for (const [first, second] of [
    [date, change],
    [change, date],
  ] as const) {
    const outcome = await atOnce(first, second).catch(({ constraint }) => constraint);
    expect(outcome).toBe("group_opens_exam_early");
    const both = `select from offering_groups as one join offering_group_dates as own on own.group_id = one.id
      where one.self_enrollment`;
    expect(await database.run(both)).toEqual([]);
    await database.run(undo);
  }
});
