import { beforeEach, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { column, rows, value, noted, totals } = openSession();

/* Ada has begun both items of course 1 and completed one. */
beforeEach(async () => {
  await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, first_started_at, completed_at)
    values (1, 1, 1, '2026-03-01', null), (1, 1, 2, '2026-03-01', '2026-03-20')`);
});

const complete = () =>
  rows("update user_content_progress set completed_at = '2026-03-22' where content_item_id = 1");

it("tree_of says when a tree was completed, and when it was left for 14 days", async () => {
  const tree = () => rows("select course_id, completed_on::text, interrupted::text from tree_of(1, 1)");
  expect(await tree()).toEqual([
    { course_id: 1, completed_on: null, interrupted: "{[2026-03-15,2026-03-20),[2026-04-03,)}" },
  ]);
  await complete();
  expect(await tree()).toEqual([
    { course_id: 1, completed_on: "2026-03-22", interrupted: "{[2026-03-15,2026-03-20)}" },
  ]);
  expect(await rows("select * from tree_of(1, 2)")).toEqual([]);
});

it("tree_of takes whoever talked to the tutor in the offering for someone who has not left", async () => {
  await rows(`insert into activity_events (user_id, verb, object_type, object_id, course_offering_id, occurred_at)
    values (1, 'asked', 'content_item', 1, 1, '2026-03-10'), (1, 'asked', 'content_item', 1, null, '2026-04-10')`);
  expect(await column("select interrupted::text from tree_of(1, 1)")).toEqual(["{[2026-04-03,)}"]);
});

it("note_tree notes whose tree is to be looked at anew", async () => {
  await rows("delete from uncounted_activity");
  await complete();
  expect(await rows("select * from uncounted_activity")).toEqual([
    { user_id: 1, event_id: null, course_offering_id: 1 },
  ]);
});

it("note_course notes the course when a module is published, or goes", async () => {
  await rows("update modules set title = 'Other' where id = 3");
  expect(await column("select course_id from uncounted_courses")).toEqual([]);
  await rows("update modules set is_published = true where id = 3");
  await rows("delete from modules where id = 3");
  expect(await column("select course_id from uncounted_courses")).toEqual([1, 1]);
});

it("tree_of takes what was posted of a module for nothing where it has items", async () => {
  await rows(`insert into user_module_progress (user_id, course_offering_id, module_id, started_at, completed_at)
    values (2, 1, 1, '2026-03-01', '2026-03-20'), (2, 1, 2, '2026-03-01', '2026-03-20')`);
  expect(await column("select completed_on from tree_of(1, 2)")).toEqual([null]);
  await rows("update content_items set is_active = false");
  expect(await column("select completed_on::text from tree_of(1, 2)")).toEqual(["2026-03-20"]);
});

it("tree_of asks for each published module without items to be posted as complete", async () => {
  await rows(`insert into modules (id, course_id, module_type, title, sequence_index, is_published)
    overriding system value values (105, 1, 'unit', 'Empty', 2, true)`);
  await complete();
  expect(await column("select completed_on from tree_of(1, 1)")).toEqual([null]);
  await rows(`insert into user_module_progress (user_id, course_offering_id, module_id, started_at, completed_at)
    values (1, 1, 105, '2026-03-23', '2026-03-24')`);
  expect(await column("select completed_on::text from tree_of(1, 1)")).toEqual(["2026-03-24"]);
});

it("tree_of leaves out what is published below what is not", async () => {
  await complete();
  await rows(`insert into modules (id, course_id, parent_module_id, module_type, title, is_published)
    overriding system value values (104, 1, 3, 'topic', 'Ink', true)`);
  await rows(`insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json)
    select 104, 1, 1, content_type_id, 'Red', '{}' from content_items where id = 1`);
  expect(await column("select completed_on::text from tree_of(1, 1)")).toEqual(["2026-03-22"]);
});

it("note_course notes the course when an item is retired, moved or gone", async () => {
  await rows("delete from uncounted_courses");
  await rows("update content_items set title = 'Other' where id = 1");
  expect(await column("select course_id from uncounted_courses")).toEqual([]);
  await rows("update content_items set is_active = false where id = 1");
  expect(await column("select course_id from uncounted_courses")).toEqual([1]);
});

it("note_course and count_courses take what was counted of a course away with it", async () => {
  await rows(
    "insert into report_totals (measure, course_id, amount) values ('notes', 3, 2), ('notes', null, 2)",
  );
  await rows("delete from uncounted_changes");
  await rows("delete from courses where id = 3");
  expect(await column("select course_id from uncounted_courses")).toEqual([3]);
  expect(
    await rows("select course_id, measure, amount::int from uncounted_totals() where measure = 'notes'"),
  ).toEqual([
    { course_id: 3, measure: "notes", amount: -2 },
    { course_id: null, measure: "notes", amount: -2 },
  ]);
  await rows("select count_courses()");
  expect(await totals(3)).toEqual({});
  expect(await noted()).toEqual({ notes: -2 });
});

it("count_courses notes every tree of a course whose modules changed", async () => {
  await rows("delete from uncounted_activity");
  await rows("update modules set is_published = true where id = 3");
  const tree = { course_offering_id: 1, user_id: 1 };
  expect(await rows("select distinct * from noted_progress()")).toEqual([tree]);
  expect(await rows("select * from noted_trees()")).toEqual([tree]);
  await rows("select count_courses()");
  expect(await rows("select course_offering_id, user_id from uncounted_activity")).toEqual([tree]);
});

it("tree_changes says what counting would note of the trees, also of one that was counted before", async () => {
  const changes = async () =>
    Object.fromEntries(
      (
        await rows(
          `select measure, sum(amount)::int as amount from tree_changes() group by 1 having sum(amount) <> 0`,
        )
      ).map(({ measure, amount }) => [measure, amount]),
    );
  // Left for 14 days, and taken up, and left again.
  expect(await changes()).toEqual({ trees_interrupted: 1 });
  await rows("select count_activity('{1}')");
  expect(await changes()).toEqual({});
  await complete();
  expect(await changes()).toEqual({ trees_completed: 1, trees_interrupted: -1 });
  await rows("delete from user_content_progress");
  await rows("delete from user_module_progress");
  expect(await changes()).toEqual({ trees_interrupted: -1 });
});

it("count_activity keeps how each noted tree stands, and notes what that changes", async () => {
  await complete();
  await rows("select count_activity('{1}')");
  expect(await rows("select user_id, completed_on::text from course_trees")).toEqual([
    { user_id: 1, completed_on: "2026-03-22" },
  ]);
  expect(await noted()).toMatchObject({ trees_completed: 1 });
  expect(await value("select count(*)::int from uncounted_activity")).toBe(0);
});
