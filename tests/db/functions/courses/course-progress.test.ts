import { beforeEach, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

/* Ada takes course 1, which has two texts. */
beforeEach(() => rows("insert into enrollments (user_id, course_offering_id) values (1, 1)"));

const kept = () =>
  rows(
    "select user_id, progress_percent::float8 as percent, completed_items as items from enrollment_progress",
  );
const begin = (item: number, percent: number, person = 1) =>
  rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent)
    values (${person}, 1, ${item}, ${percent})`);

it("enrollments_after_write begins an enrollment's progress at zero, or with earlier work", async () => {
  expect(await kept()).toEqual([{ user_id: 1, percent: 0, items: 0 }]);
  await begin(1, 60, 2);
  await rows("update course_offerings set capacity = null");
  await rows("insert into enrollments (user_id, course_offering_id) values (2, 1)");
  expect(await kept()).toContainEqual({ user_id: 2, percent: 30, items: 0 });
});

it("user_content_progress_after_write follows posts, completions and their withdrawal", async () => {
  await begin(1, 60);
  expect(await kept()).toEqual([{ user_id: 1, percent: 30, items: 0 }]);
  await rows("update user_content_progress set completed_at = now()");
  expect(await kept()).toEqual([{ user_id: 1, percent: 50, items: 1 }]);
  await rows("update user_content_progress set completed_at = null, progress_percent = 10");
  expect(await kept()).toEqual([{ user_id: 1, percent: 5, items: 0 }]);
});

it("recompute_enrollment_progress writes nothing without changes, and nothing of people without a seat", async () => {
  await begin(1, 60);
  await begin(1, 60, 2);
  const written = await value("select xmin::text from enrollment_progress");
  await rows("savepoint later");
  await rows("select recompute_enrollment_progress(1, array[2, 1])");
  expect(await rows("select xmin::text from enrollment_progress")).toEqual([{ xmin: written }]);
});

it("course_progress_of_people is the same for one and many, the mean of counted items", async () => {
  await begin(1, 33.33);
  await begin(2, 100, 2);
  const of = `select many.user_id, many.progress_percent = truncate_percent(
       (
         select avg(item_percent_counted_for_progress(mine.progress_percent, mine.completed_at, item.by_result))
         from published_items_of_course(1) as item left join user_content_progress as mine
           on mine.course_offering_id = 1 and mine.user_id = many.user_id and mine.content_item_id = item.item_id)) as same from course_progress_of_people(1, array[1, 2, 3]) as many`;
  expect(await rows(of)).toEqual([1, 2, 3].map((user_id) => ({ user_id, same: true })));
  expect(
    await rows("select progress_percent::int, completed_items from course_progress_of_people(3, array[1])"),
  ).toEqual([{ progress_percent: 0, completed_items: 0 }]);
});
