import { beforeEach, describe, expect, it } from "vitest";
import { itemKinds } from "../../../../lib/assessment/graded-items.ts";
import { openSession } from "../session.ts";

const { column, rows, value } = openSession();

/*
 * Course 1 has, below its unit 1, the topics 2, with two texts, and 4, with a text and a quiz; topic 3 is not
 * published, and what is below it is hidden with it.
 */
beforeEach(async () => {
  await rows(`insert into modules (id, course_id, parent_module_id, module_type, title, sequence_index, is_published)
    overriding system value values (4, 1, 1, 'topic', 'Levers', 3, true), (5, 1, 3, 'topic', 'Ink', 1, true)`);
  await rows(`insert into content_items
      (id, module_id, course_id, university_id, content_type_id, title, sequence_index, data_json, is_active)
    overriding system value
    select item.id, module, 1, 1, content_types.id, 'Item', item.id, '{}', is_active
    from (values (3, 4, 'text', true), (4, 4, 'quiz', true), (5, 5, 'text', true), (6, 4, 'text', false))
      as item (id, module, type, is_active)
    join content_types on name = type`);
});

const progress = (item: number, percent: number, completed: string | null = null) =>
  rows(`insert into user_content_progress as mine
      (user_id, course_offering_id, content_item_id, progress_percent, first_started_at, completed_at)
    values (1, 1, ${item}, ${percent}, '2026-03-0${item}', ${completed ? `'${completed}'` : "null"})
    on conflict (user_id, course_offering_id, content_item_id) do update
    set progress_percent = excluded.progress_percent, completed_at = excluded.completed_at`);

const quiz = 4;

it("published_items_of_course omits published items below unpublished modules, and retired ones", async () => {
  const items = "select item_id, by_result from published_items_of_course(1) order by 1";
  expect(await rows(items)).toEqual([
    { item_id: 1, by_result: false },
    { item_id: 2, by_result: false },
    { item_id: 3, by_result: false },
    { item_id: quiz, by_result: true },
  ]);
  await rows("update modules set is_published = false where id = 1");
  expect(await rows(items)).toEqual([]);
});

it("takes_result is true of the types that are attempted or handed in, and of none that is added", async () => {
  await rows("insert into content_types (name, label) values ('podcast', 'Podcast')");
  expect(await column("select name from content_types where takes_result order by name")).toEqual(
    Object.values(itemKinds)
      .flatMap(({ types }) => types)
      .toSorted(),
  );
});

it("item_percent_counted_for_progress keeps completed items whole, and ignores posts for a result", async () => {
  const counted = `select item_percent_counted_for_progress(percent, completed::timestamptz, by_result) from (values
    (60, null, false), (null, null, false), (60, '2026-03-01', false), (60, null, true), (0, '2026-03-01', true))
    as v (percent, completed, by_result)`;
  expect((await column(counted)).map(Number)).toEqual([60, 0, 100, 0, 100]);
});

it("truncate_percent never says more than there is, and loses nothing to thirds", async () => {
  const cut =
    "select truncate_percent(p) from (values (66.6666), (99.99999), (49.9999999999), (100 * 3 * (1::numeric / 3))) as v (p)";
  expect((await column(cut)).map(Number)).toEqual([66.66, 99.99, 50, 100]);
});

it("published_items_of_course has active items of published modules", async () => {
  await progress(1, 40);
  expect(await column("select module_id from published_items_of_course(1) order by item_id")).toEqual([
    2, 2, 4, 4,
  ]);
  const modules = await rows(
    "select module_id, computed_percent::float8 as percent from module_progress_of_person(1, 1) where module_id in (2, 4) order by 1",
  );
  expect(modules).toEqual([
    { module_id: 2, percent: 20 },
    { module_id: 4, percent: 0 },
  ]);
});

describe("with some of it done", () => {
  beforeEach(async () => {
    await progress(1, 100, "2026-03-05");
    await progress(3, 50);
    await progress(quiz, 100, "2026-03-06");
  });

  it("module_progress_of_person is the mean of a module's items and submodules, and ignores posts", async () => {
    await rows("update user_module_progress set progress_percent = 100, completed_at = '2026-03-06'");
    const modules =
      "select module_id, computed_percent::float8, completed_at from module_progress_of_person(1, 1) order by 1";
    expect(await rows(modules)).toEqual([
      { module_id: 1, computed_percent: 37.5, completed_at: null },
      { module_id: 2, computed_percent: 50, completed_at: null },
      { module_id: 4, computed_percent: 25, completed_at: null },
    ]);
  });

  it("course_progress_of_people is the mean of all items", async () => {
    expect(Number(await value("select progress_percent from course_progress_of_people(1, array[1])"))).toBe(
      37.5,
    );
    expect(Number(await value("select progress_percent from course_progress_of_people(1, array[2])"))).toBe(
      0,
    );
    expect(Number(await value("select progress_percent from course_progress_of_people(3, array[1])"))).toBe(
      0,
    );
  });

  it("module_progress_of_person is 100 when everything is complete, and not before, however many parts there are", async () => {
    await progress(2, 100, "2026-03-07");
    await progress(3, 100, "2026-03-08");
    const percents =
      "select computed_percent::float8 from module_progress_of_person(1, 1) order by module_id";
    expect(await column(percents)).toEqual([75, 100, 50]);
    await rows(`update content_items set is_active = false where id = ${quiz}`);
    expect(await column(percents)).toEqual([100, 100, 100]);
    await rows(`insert into content_items
        (id, module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
      overriding system value
      select 100 + number, 2, 1, 1, content_type_id, 'Many', number, '{}' from content_items, generate_series(3, 22) as number where id = 1`);
    await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent)
      select 1, 1, id, 99.99 from content_items where title = 'Many'`);
    expect(await column(percents)).toEqual([99.99, 99.99, 100]);
  });
});

it("user_content_progress_before_write begins the module of an item and those above, once", async () => {
  await progress(1, 10);
  await progress(2, 20);
  expect(await column("select module_id from user_module_progress order by 1")).toEqual([1, 2]);
  expect(await value("select started_at::date::text from user_module_progress where module_id = 1")).toBe(
    "2026-03-01",
  );
});

const begunOf = () =>
  rows(`select content_item_id as item, to_char(first_started_at at time zone 'UTC', 'MM-DD') as first,
    to_char(last_interacted_at at time zone 'UTC', 'MM-DD') as last
    from user_content_progress where user_id = 1 order by 1`);

it("upsert_item_interaction_times sets the first reported start, and the last activity", async () => {
  const begin = (begun: string, latest: string) =>
    rows(
      `select upsert_item_interaction_times(1, 1, ${quiz}, '2026-${begun} 12:00Z', '2026-${latest} 12:00Z')`,
    );
  await begin("03-02", "03-04");
  await begin("03-01", "03-03");
  expect(await begunOf()).toEqual([{ item: quiz, first: "03-01", last: "03-04" }]);
});
