import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { column, rows, value } = openSession();

/* Ada and Ben have half of course 1 behind them. */
beforeEach(async () => {
  await rows("update course_offerings set capacity = null");
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1), (2, 1)");
  await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, completed_at)
    values (1, 1, 1, '2026-03-05'), (2, 1, 2, '2026-03-05')`);
  await rows("select refresh_stale_course_progress_dates(10)");
  await rows("delete from stale_outlines");
});

const noted = () =>
  column("select course_id from stale_outlines where course_offering_id is null order by 1");
const retire = (item: number, is_active = false) =>
  rows(`update content_items set is_active = ${is_active} where id = ${item}`);
const percents = () => column("select progress_percent::float8 from enrollment_progress order by user_id");
const recountProgress = async (most = 10) => {
  let steps = 0;
  while (await value(`select recompute_progress_after_outline_edits(${most})`)) steps += 1;
  return steps;
};

describe("increment_course_version_and_queue_recompute", () => {
  it.each([
    ["an item that is retired", "update content_items set is_active = false where course_id = 1"],
    [
      "an item that takes a result",
      `update content_items set content_type_id = (select id from content_types where name = 'quiz')`,
    ],
    ["an item that moves", "update content_items set module_id = 1 where id = 1"],
    ["a module that is published", "update modules set is_published = true where id = 3"],
    ["a module that moves", "update modules set parent_module_id = 3 where id = 2"],
    ["a deleted module", "delete from modules where id = 3"],
    [
      "a new module",
      "insert into modules (course_id, module_type, title, sequence_index) values (1, 'unit', 'More', 9)",
    ],
    [
      "many new items in one statement",
      `insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json, sequence_index)
       select 2, 1, 1, content_type_id, 'More', '{}', place from content_items, generate_series(3, 52) as place
       where id = 1`,
    ],
  ])("notes a course once for %s", async (_, statement) => {
    await rows(statement);
    expect(await noted()).toEqual([1]);
  });

  it("records nothing for a title, an order, or a course without learners", async () => {
    await rows("update content_items set title = 'Other', data_json = '{}'");
    await rows("update modules set title = 'Other', sequence_index = sequence_index + 10");
    await rows("insert into modules (course_id, module_type, title) values (2, 'unit', 'More')");
    expect(await noted()).toEqual([]);
  });
});

describe("recompute_progress_after_outline_edits", () => {
  it("recomputes learners, and keeps earlier completions", async () => {
    await retire(2);
    expect(await percents()).toEqual([50, 50]);
    expect(await column("select user_id from trees where completed_on is not null")).toEqual([]);
    await recountProgress();
    expect(await percents()).toEqual([100, 0]);
    expect(await column("select user_id from trees where completed_on is not null")).toEqual([1]);
    expect(await value("select count(*)::int from stale_outlines")).toBe(0);
  });

  it("processes at most the given number of people", async () => {
    await retire(2);
    expect(await value("select recompute_progress_after_outline_edits(1)")).toBe(true);
    expect(await percents()).toEqual([100, 50]);
    expect(await recountProgress(1)).toBeGreaterThan(1);
    expect(await percents()).toEqual([100, 0]);
  });

  it("leaves runs that are over as they were, until they are open again", async () => {
    await rows("update course_offerings set ends_at = now() - interval '1 day' where id = 1");
    await retire(2);
    await recountProgress();
    expect(await percents()).toEqual([50, 50]);
    // Later writes compute only that person.
    await rows("update user_content_progress set completed_at = '2026-03-07' where user_id = 1");
    expect(await percents()).toEqual([100, 50]);
    await rows("update course_offerings set ends_at = now() - interval '1 hour' where id = 1");
    expect(await noted()).toEqual([]);
  });

  it("looks again at a run that was over and is open again", async () => {
    await rows("update course_offerings set ends_at = now() - interval '1 day' where id = 1");
    await retire(2);
    await recountProgress();
    await rows("update course_offerings set ends_at = null where id = 1");
    expect(await noted()).toEqual([1]);
    await recountProgress();
    expect(await percents()).toEqual([100, 0]);
  });

  it("also processes finished runs without stored progress", async () => {
    await rows("delete from enrollment_progress");
    await rows("update course_offerings set ends_at = now() - interval '1 day'");
    await rows("insert into stale_outlines (course_id, includes_ended) values (1, true)");
    await recountProgress();
    expect(await percents()).toEqual([50, 50]);
  });

  it("has no course wait for all people of another", async () => {
    await rows("insert into enrollments (user_id, course_offering_id) values (1, 2)");
    await rows(`insert into modules (id, course_id, module_type, title, is_published) overriding system value
      values (200, 2, 'unit', 'One', true)`);
    await rows(`insert into content_items (id, module_id, course_id, university_id, content_type_id, title, data_json)
      overriding system value select 200, 200, 2, 1, content_type_id, 'One', '{}' from content_items where id = 1`);
    await rows(
      "insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent) values (1, 2, 200, 40)",
    );
    await rows("delete from stale_outlines");
    await retire(2);
    await retire(200);
    for (let step = 0; step < 2; step += 1) await rows("select recompute_progress_after_outline_edits(1)");
    expect(
      await value("select progress_percent::int from enrollment_progress where course_offering_id = 2"),
    ).toBe(0);
    expect(await percents(), "while the first course has people left").toContain(50);
  });

  it("takes turns with a course that began a millisecond later", async () => {
    await rows(`insert into stale_outlines (course_id, course_offering_id, looked_at)
      values (1, 0, '2999-01-01T00:00:00.000Z'), (2, 0, '2999-01-01T00:00:00.001Z')`);
    const last = () => value("select course_id from stale_outlines order by looked_at desc limit 1");
    for (const course of [1, 2]) {
      await rows("select recompute_progress_after_outline_edits(1)");
      expect(await last()).toBe(course);
    }
  });
});
