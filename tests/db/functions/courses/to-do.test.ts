import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { progressOfPeopleSql } from "../../../../lib/courses/offerings/roster.ts";
import { stuckLearnersSql } from "../../../../lib/courses/offerings/stuck-learners.ts";
import { openSession } from "../session.ts";

const { column, rows, value } = openSession();

/* Course 1 has, in the topic 2 below its unit 1, the items 1 and 2; an item 3 is in topic 3, which is not published. */
beforeEach(() =>
  rows(`insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json)
    select 3, 1, 1, id, 'Hidden', '{}' from content_types where name = 'text'`),
);

const complete = (item: number) =>
  rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent, completed_at)
    values (1, 1, ${item}, 100, '2026-03-02')`);

describe("items_to_do", () => {
  const toDo = (moment = "2026-03-10") =>
    rows(`select item_id, place, due_at::date::text as due, is_open
      from items_to_do(1, 1, '${moment}') order by place`);

  it("has published, incomplete items, with their path in the tree", async () => {
    const [first, second] = [
      { item_id: 1, place: [1, 1, 1], due: null, is_open: true },
      { item_id: 2, place: [1, 1, 2], due: null, is_open: true },
    ];
    expect(await toDo()).toEqual([first, second]);
    await complete(1);
    expect(await toDo()).toEqual([second]);
    await rows("update courses set is_published = false where id = 1");
    expect(await toDo()).toEqual([]);
  });

  it("is due by the item's own date, else by that of the nearest module above it", async () => {
    await rows("update modules set due_at = '2026-04-01' where id = 1");
    await rows("update content_items set due_at = '2026-05-01' where id = 2");
    expect((await toDo()).map(({ due }) => due)).toEqual(["2026-04-01", "2026-05-01"]);
    await rows("update modules set due_at = '2026-03-20' where id = 2");
    expect((await toDo()).map(({ due }) => due)).toEqual(["2026-03-20", "2026-05-01"]);
    await rows(`insert into quiz_overrides (user_id, course_offering_id, content_item_id, due_at)
      values (1, 1, 1, '2026-03-21'), (2, 1, 2, '2026-03-22')`);
    expect((await toDo()).map(({ due }) => due)).toEqual(["2026-03-21", "2026-05-01"]);
  });

  it("omits submitted work, until it is returned", async () => {
    const handIn = (attempt: number, status: string) =>
      rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number, status)
        values (1, 1, 1, ${attempt}, '${status}')`);
    const items = async () => (await toDo()).map(({ item_id }) => item_id);
    await handIn(1, "submitted");
    expect(await items()).toEqual([2]);
    await handIn(2, "returned");
    expect(await items()).toEqual([1, 2]);
    await handIn(3, "submitted");
    expect(await items()).toEqual([2]);
  });

  it("is locked until it and its modules are available, and the prerequisites complete", async () => {
    await rows("update modules set available_from = '2026-03-11' where id = 1");
    await rows("update content_items set available_from = '2026-03-12' where id = 2");
    const open = async (moment: string) => (await toDo(moment)).map(({ is_open }) => is_open);
    expect(await open("2026-03-10")).toEqual([false, false]);
    expect(await open("2026-03-11")).toEqual([true, false]);
    expect(await open("2026-03-12")).toEqual([true, true]);
    await rows(
      "insert into modules (course_id, module_type, title, sequence_index, is_published) values (1, 'unit', 'First', null, true)",
    );
    await rows("update modules set requires_module_ids = array[(select max(id) from modules)] where id = 2");
    expect(await open("2026-03-12")).toEqual([false, false]);
  });
});

describe("progress of people", () => {
  it("has the course_progress_of_people each, their completed items and their last activity", async () => {
    await complete(1);
    await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent)
      values (1, 1, 2, 25), (2, 1, (select max(id) from content_items), 80)`);
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, course_offering_id, occurred_at)
      values (1, 'progressed', 'content_item', 1, 1, '2026-03-05'), (1, 'progressed', 'content_item', 1, 2, '2026-03-06')`);
    const people = await rows(sql`select user_id, progress_percent::float8 as percent, completed_items,
        last_activity_at::date::text as last
      from ${progressOfPeopleSql(sql`1`, sql`array[1, 2]`)} as one order by user_id`);
    expect(people).toEqual([
      { user_id: 1, percent: 62.5, completed_items: 1, last: "2026-03-05" },
      { user_id: 2, percent: 0, completed_items: 0, last: null },
    ]);
    expect(Number(await value("select progress_percent from course_progress_of_people(1, array[1])"))).toBe(
      62.5,
    );
    await rows(
      "update user_content_progress set progress_percent = 100, completed_at = '2026-03-09' where user_id = 1",
    );
    expect(
      (
        await column(sql`select progress_percent from ${progressOfPeopleSql(sql`1`, sql`array[1]`)} as one`)
      ).map(Number),
    ).toEqual([100]);
  });

  it("is 0 if nothing counts", async () => {
    expect(
      (
        await column(sql`select progress_percent from ${progressOfPeopleSql(sql`2`, sql`array[1]`)} as one`)
      ).map(Number),
    ).toEqual([0]);
  });
});

describe("stuck people", () => {
  const stuck = async (since = "2026-03-08", offering = 1) =>
    rows(sql`select user_id, progress_percent::float8 as percent, last_activity_at::date::text as last
      from ${stuckLearnersSql(sql`${offering}::int`, sql`${since}::timestamptz`)} as one order by user_id`);
  const act = (person: number, moment: string, offering = 1) =>
    rows(`insert into activity_events (user_id, verb, object_type, object_id, course_offering_id, occurred_at)
      values (${person}, 'viewed', 'content_item', 1, ${offering}, '${moment}')`);

  beforeEach(async () => {
    await rows("update course_offerings set capacity = null");
    await rows(`insert into enrollments (user_id, course_offering_id, enrolled_at) values
      (1, 1, '2026-03-01'), (2, 1, '2026-03-01'), (3, 1, '2026-03-09')`);
  });

  it("has people without activity there since then, or who enrolled before without any", async () => {
    expect(await stuck()).toEqual([
      { user_id: 1, percent: 0, last: null },
      { user_id: 2, percent: 0, last: null },
    ]);
    await act(1, "2026-03-04");
    await act(1, "2026-03-05");
    await act(2, "2026-03-08");
    // Activity elsewhere does not count.
    await act(1, "2026-03-09", 2);
    expect(await stuck()).toEqual([{ user_id: 1, percent: 0, last: "2026-03-05" }]);
    expect((await stuck("2026-03-10")).map(({ user_id }) => user_id)).toEqual([1, 2, 3]);
    expect(await stuck("2026-03-10", 2)).toEqual([]);
  });

  it("omits people who completed or left it, and erased accounts", async () => {
    await complete(1);
    expect(await stuck()).toMatchObject([{ user_id: 1, percent: 50 }, { user_id: 2 }]);
    await complete(2);
    expect(await stuck()).toMatchObject([{ user_id: 2 }]);
    await rows("update enrollments set status = 'dropped' where user_id = 2");
    expect(await stuck()).toEqual([]);
    expect(await stuck("2026-03-10")).toMatchObject([{ user_id: 3 }]);
    await rows(
      "update users set erased_at = '2026-03-10', email = null, full_name = '', is_active = false where id = 3",
    );
    expect(await stuck("2026-03-10")).toEqual([]);
  });

  it("has each person's stored progress, also without any", async () => {
    await complete(1);
    const [own] = await stuck();
    await rows("delete from enrollment_progress");
    expect(await stuck()).toMatchObject([own, { user_id: 2, percent: 0 }]);
  });
});
