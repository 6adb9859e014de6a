import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { beforeEach, describe, expect, it } from "vitest";
import { recomputeProgressTotalsQuery } from "../../../../lib/operations/analytics/course-progress-totals.ts";
import {
  completedLearnerCountsByCourseSql,
  interruptedLearnerCountsByCourseSql,
  interruptedProgressCondition,
  staleProgressCorrectionsSql,
} from "../../../../lib/operations/analytics/interrupted-progress.ts";
import { openSession } from "../session.ts";

const { column, rows, value, rowsReadOf } = openSession();

/* Ada has begun both items of course 1 and completed one. */
beforeEach(async () => {
  await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, first_started_at, completed_at)
    values (1, 1, 1, '2026-03-01', null), (1, 1, 2, '2026-03-01', '2026-03-20')`);
});

const complete = () =>
  rows("update user_content_progress set completed_at = '2026-03-22' where content_item_id = 1");

it("course_progress_dates_of_people says when a tree was begun and completed, and which days had something in the 14 before", async () => {
  const tree = () =>
    rows(
      "select course_id, begun_on::text, completed_on::text, fresh_on::text from course_progress_dates_of_people(1, array[1])",
    );
  const began = { course_id: 1, begun_on: "2026-03-01" };
  expect(await tree()).toEqual([
    { ...began, completed_on: null, fresh_on: "{[2026-03-01,2026-03-15),[2026-03-20,2026-04-03)}" },
  ]);
  await complete();
  expect(await tree()).toEqual([
    { ...began, completed_on: "2026-03-22", fresh_on: "{[2026-03-01,2026-03-15),[2026-03-20,2026-04-05)}" },
  ]);
  expect(await rows("select * from course_progress_dates_of_people(1, array[2])")).toEqual([]);
});

it("course_progress_dates_of_people ignores posts for a module with items", async () => {
  await rows(`insert into user_module_progress (user_id, course_offering_id, module_id, started_at, completed_at)
    values (2, 1, 1, '2026-03-01', '2026-03-20'), (2, 1, 2, '2026-03-01', '2026-03-20')`);
  expect(await column("select completed_on from course_progress_dates_of_people(1, array[2])")).toEqual([
    null,
  ]);
  await rows("update content_items set is_active = false");
  expect(await column("select completed_on::text from course_progress_dates_of_people(1, array[2])")).toEqual(
    ["2026-03-20"],
  );
});

it("course_progress_dates_of_people requires a completion post for each published module without items", async () => {
  await rows(`insert into modules (id, course_id, module_type, title, sequence_index, is_published)
    overriding system value values (105, 1, 'unit', 'Empty', 2, true)`);
  await complete();
  expect(await column("select completed_on from course_progress_dates_of_people(1, array[1])")).toEqual([
    null,
  ]);
  await rows(`insert into user_module_progress (user_id, course_offering_id, module_id, started_at, completed_at)
    values (1, 1, 105, '2026-03-23', '2026-03-24')`);
  expect(await column("select completed_on::text from course_progress_dates_of_people(1, array[1])")).toEqual(
    ["2026-03-24"],
  );
});

it("course_progress_dates_of_people omits published items below unpublished modules", async () => {
  await complete();
  await rows(`insert into modules (id, course_id, parent_module_id, module_type, title, is_published)
    overriding system value values (104, 1, 3, 'topic', 'Ink', true)`);
  await rows(`insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json)
    select 104, 1, 1, content_type_id, 'Red', '{}' from content_items where id = 1`);
  expect(await column("select completed_on::text from course_progress_dates_of_people(1, array[1])")).toEqual(
    ["2026-03-22"],
  );
});

describe("queue_stale_course_progress", () => {
  const stale = () => rows("select * from stale_trees order by 1, 2");
  const ofAda = { course_offering_id: 1, user_id: 1 };
  beforeEach(() => rows("delete from stale_trees"));

  it("records trees that may have changed, when progress is added, deleted, begun or completed", async () => {
    await complete();
    expect(await stale()).toEqual([ofAda]);
    await rows("update user_content_progress set completed_at = completed_at, progress_percent = 50");
    expect(await stale(), "and not when it stays as it was").toEqual([ofAda]);
    await rows("delete from stale_trees");
    await rows("delete from user_content_progress where content_item_id = 1");
    expect(await stale()).toContainEqual(ofAda);
    await rows("delete from stale_trees");
    await rows("update user_module_progress set completed_at = now()");
    expect(await stale()).toContainEqual(ofAda);
  });
});

describe("refresh_stale_course_progress_dates", () => {
  const kept = () => rows("select user_id, completed_on::text from course_trees");
  const refresh = (most = 10) => value(`select refresh_stale_course_progress_dates(${most})`);

  it("stores each stale tree's state, and empties the list", async () => {
    await complete();
    expect(await refresh()).toBe(false);
    expect(await kept()).toEqual([{ user_id: 1, completed_on: "2026-03-22" }]);
    await rows("delete from user_content_progress");
    await rows("delete from user_module_progress");
    expect(await refresh()).toBe(false);
    expect(await kept()).toEqual([]);
    expect(await value("select count(*)::int from stale_trees")).toBe(0);
  });

  it("processes at most the given number, and reports that more are left", async () => {
    await rows("delete from stale_trees");
    await rows("insert into stale_trees select 1, number from generate_series(1, 5) as number");
    expect([await refresh(2), await refresh(2), await refresh(2)]).toEqual([true, true, false]);
    expect(await kept()).toEqual([{ user_id: 1, completed_on: null }]);
  });
});

it("recompute_course_progress_dates writes changed trees of the named people", async () => {
  const kept = () =>
    rows("select user_id, completed_on::text, xmin::text as written from course_trees order by 1");
  await rows("insert into user_module_progress (user_id, course_offering_id, module_id) values (2, 1, 1)");
  await rows("select recompute_course_progress_dates(1, array[1])");
  const [ada] = await kept();
  await rows("savepoint later");
  await rows("select recompute_course_progress_dates(1, array[1, 2])");
  expect(await kept()).toEqual([ada, expect.objectContaining({ user_id: 2 })]);
});

it("trees are current, whatever is still stale", async () => {
  const trees = () => rows("select user_id, completed_on::text from trees");
  expect(await trees()).toEqual([{ user_id: 1, completed_on: null }]);
  await rows("select refresh_stale_course_progress_dates(10)");
  expect(await trees()).toEqual([{ user_id: 1, completed_on: null }]);
  await complete();
  expect(await trees()).toEqual([{ user_id: 1, completed_on: "2026-03-22" }]);
  await rows("delete from user_content_progress");
  await rows("delete from user_module_progress");
  expect(await trees()).toEqual([]);
  await rows("insert into stale_trees select 1, 1 from generate_series(1, 5001)");
  expect(await trees(), "and as they stood where that is too much").toEqual([
    { user_id: 1, completed_on: null },
  ]);
});

describe("totals of trees", () => {
  const totals = () =>
    rows(`select course_id, is_month, day::text, completed, interrupted from tree_totals
          where completed <> 0 or interrupted <> 0 order by 2, 3`);
  const change = (day: string, interrupted: number, completed = 0) => ({ day, completed, interrupted });
  const ofCourse = (is_month: boolean, changes: object[]) =>
    changes.map((one) => ({ course_id: 1, is_month, ...one }));

  it("interrupted trees and tree_changes agree on every day", async () => {
    const tree = (completed: string) =>
      `row(1, 1, 1, ${completed}, '2026-03-01', '{[2026-03-01,2026-03-15),[2026-03-20,2026-04-03)}')::course_trees`;
    for (const completed of ["null", "'2026-03-22'", "'2026-05-01'", "'2026-03-01'"])
      expect(
        await rows(sql`
          select one::date from generate_series('2026-02-25', '2026-05-10', interval '1 day') as one
          where ${interruptedProgressCondition(sql.raw(tree(completed)), sql`one::date`)}
            <> ((select coalesce(sum(interrupted), 0) from daily_completion_and_interruption_changes(${sql.raw(tree(completed))}) as change
                 where change.day <= one) = 1)`),
        completed,
      ).toEqual([]);
    expect(
      await rows(
        `select day::text, completed from daily_completion_and_interruption_changes(${tree("'2026-03-22'")}) where completed > 0`,
      ),
    ).toEqual([{ day: "2026-03-22", completed: 1 }]);
  });

  it("update_course_progress_totals has them follow the trees, by day and by month", async () => {
    await rows("select refresh_stale_course_progress_dates(10)");
    expect(await totals()).toEqual([
      ...ofCourse(false, [change("2026-03-15", 1), change("2026-03-20", -1), change("2026-04-03", 1)]),
      ...ofCourse(true, [change("2026-04-01", 1)]),
    ]);
    await complete();
    await rows("select refresh_stale_course_progress_dates(10)");
    const whole = [
      ...ofCourse(false, [change("2026-03-15", 1), change("2026-03-20", -1), change("2026-03-22", 0, 1)]),
      ...ofCourse(true, [change("2026-03-01", 0, 1)]),
    ];
    expect(await totals()).toEqual(whole);
    await rows("update tree_totals set completed = 5");
    for (const isCounted of [undefined, "course_id = 1"]) {
      await rows(recomputeProgressTotalsQuery(isCounted));
      expect(await totals()).toEqual(whole);
    }
    await rows(recomputeProgressTotalsQuery("course_id = 2"));
    expect(await totals()).toEqual(whole);
    await rows("delete from user_content_progress");
    await rows("delete from user_module_progress");
    await rows("select refresh_stale_course_progress_dates(10)");
    expect(await totals()).toEqual([]);
  });

  it("count trees of the same course and day together", async () => {
    await rows("delete from course_trees");
    await rows(`insert into course_trees select 1, number, 1, null, '2026-03-01', '{[2026-03-01,2026-03-15)}'
      from generate_series(1, 3) as number`);
    const left = (trees: number) => [
      ...ofCourse(false, [change("2026-03-15", trees)]),
      ...ofCourse(true, [change("2026-03-01", trees)]),
    ];
    expect(await totals()).toEqual(left(3));
    await rows("delete from course_trees where user_id < 3");
    expect(await totals()).toEqual(left(1));
  });

  it("are read without the trees, and in the same time for ten times as many people", async () => {
    await rows("delete from stale_trees");
    // As with many rows: for few the plan reads the keys to join them.
    await rows(
      "set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off",
    );
    const day = (text: string) => sql.raw(`'${text}'::date`);
    // Without a course, which is the only value.
    const ofAll = (counts: SQL) => new PgDialect().sqlToQuery(counts).sql.replaceAll(/\$\d+/g, "null");
    const read = async (counts: SQL) => {
      const before = [await rowsReadOf("tree_totals"), await rowsReadOf("course_trees")];
      const found = await rows(`select course_id, amount::int from ${ofAll(counts)} as one`);
      const after = [await rowsReadOf("tree_totals"), await rowsReadOf("course_trees")];
      return { found, read: after.map((count, at) => count - Number(before[at])) };
    };
    const load = (people: number) =>
      rows(`delete from course_trees;
        insert into course_trees
        select 1, number, 1, case when number % 2 = 0 then date '2026-03-20' + number % 10 end, '2026-03-01',
               datemultirange(daterange('2026-03-01', date '2026-03-20' + number % 10))
        from generate_series(1, ${people}) as number`);
    const [some, all] = [50, 500].map((people) => async () => {
      await load(people);
      return [
        await read(
          completedLearnerCountsByCourseSql({ date_from: day("2026-01-10"), date_to: day("2026-05-10") }),
        ),
        await read(interruptedLearnerCountsByCourseSql(day("2026-05-10"))),
      ];
    });
    const few = await some?.();
    expect(few?.map(({ found }) => found)).toEqual([
      [{ course_id: 1, amount: 25 }],
      [{ course_id: 1, amount: 25 }],
    ]);
    expect(few?.map(({ read: [, trees] }) => trees)).toEqual([0, 0]);
    const many = await all?.();
    expect(many?.map(({ found }) => found)).toEqual([
      [{ course_id: 1, amount: 250 }],
      [{ course_id: 1, amount: 250 }],
    ]);
    expect(many?.map(({ read }) => read)).toEqual(few?.map(({ read }) => read));
  });

  it("plus staleProgressCorrectionsSql equal the current state of all", async () => {
    const changed = () =>
      rows(
        sql`select (tree).user_id, (tree).completed_on::text, sign from ${staleProgressCorrectionsSql(undefined)} order by sign`,
      );
    await rows("select refresh_stale_course_progress_dates(10)");
    expect(await changed()).toEqual([]);
    await complete();
    expect(await changed()).toEqual([
      { user_id: 1, completed_on: null, sign: -1 },
      { user_id: 1, completed_on: "2026-03-22", sign: 1 },
    ]);
  });
});
