import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { drawing } from "../../api/operations/admin/drawn.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;
const { drawn, oneOf } = drawing();

/* Three people in two offerings of a course. Its three modules have a text, a quiz, a lab and an assignment. */
beforeAll(async () => {
  database = await cloneDatabase();
  await database.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await database.run(`
    update course_offerings set capacity = null;
    insert into course_offerings (course_id, university_id) values (1, 1);
    insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json, sequence_index)
    select module, 1, 1, content_types.id, 'Item', '{"grading": {"max_points": 20}}', 2 + row_number() over ()
    from content_types cross join (values (2), (3)) as place (module)
    where name in ('text', 'quiz', 'engineering_lab', 'assignment');
    insert into enrollments (user_id, course_offering_id)
    select users.id, run.id from users, course_offerings as run where run.course_id = 1 and users.id <> 3`);
});
afterAll(() => database.drop());

const person = () => 1 + drawn(3);
const run = () => oneOf([1, 4]);
const item = () => 1 + drawn(10);
const truth = () => oneOf(["true", "false"]);
const module = () => 1 + drawn(3);
const typed = (name: string) => `(select id from content_types where name = '${name}')`;
const keys = () => `${person()}, ${run()}, ${item()}`;

/** Every change of completed or counted work. */
const writes: Record<string, () => string> = {
  post: () => `
    insert into user_content_progress as mine (user_id, course_offering_id, content_item_id, progress_percent, completed_at)
    select ${keys()}, ${drawn(10001) / 100}, ${oneOf(["null", "now()"])}
    on conflict (user_id, course_offering_id, content_item_id) do update
    set progress_percent = excluded.progress_percent, completed_at = excluded.completed_at`,
  begin: () => {
    const [who, where, what] = [person(), run(), item()];
    return `select upsert_item_interaction_times(${who}, ${where}, ${what}, now(), now())`;
  },
  tryQuiz: () => `
    insert into quiz_attempts (user_id, course_offering_id, content_item_id, attempt_number, submitted_at, passed)
    values (${keys()}, ${drawn(1_000_000)}, now(), ${truth()})`,
  regrade: () => `update quiz_attempts set passed = ${truth()} where content_item_id = ${item()}`,
  handIn: () => `
    insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number)
    values (${keys()}, ${drawn(1_000_000)})`,
  grade: () => `update lab_submissions set status = '${oneOf(["graded", "returned", "submitted"])}'
    where user_id = ${person()}`,
  set: () => `
    insert into item_grades as own (user_id, course_offering_id, content_item_id, score_override, is_excused, version)
    select ${keys()}, ${oneOf(["null", "0", "20"])}, ${truth()}, 1
    on conflict (user_id, course_offering_id, content_item_id) do update
    set score_override = excluded.score_override, is_excused = excluded.is_excused`,
  enroll: () =>
    `insert into enrollments (user_id, course_offering_id) values (${person()}, ${run()}) on conflict do nothing`,
  leave: () => `update enrollments set status = 'dropped' where user_id = ${person()} and status = 'active'`,
  return: () => `update enrollments set status = 'active' where user_id = ${person()} and status = 'dropped'`,
  retire: () => `update content_items set is_active = ${truth()} where id = ${item()}`,
  move: () =>
    `update content_items set module_id = ${module()}, sequence_index = ${drawn(1_000_000)} where id = ${item()}`,
  retype: () =>
    `update content_items set content_type_id = ${typed(oneOf(["text", "quiz", "assignment"]))} where id = ${item()}`,
  publish: () => `update modules set is_published = ${truth()} where id = ${module()}`,
  nest: () =>
    `update modules set parent_module_id = ${oneOf(["null", "1"])}, sequence_index = 7 where id = 3`,
  end: () => `update course_offerings set ends_at = now() - interval '1 day' where id = 4`,
  reopen: () => "update course_offerings set ends_at = null where id = 4",
};

const percents = "select progress_percent::float8 as percent from enrollment_progress";

const edits = ["retire", "move", "retype", "publish", "nest", "end", "reopen"];

/** People in open offerings whose stored progress differs from the sum of their rows. */
const differing = `
  select run.id, mine.user_id from enrollments as mine
  join course_offerings as run on run.id = mine.course_offering_id and coalesce(run.ends_at > service_now(), true)
  cross join lateral course_progress_of_people(run.id, array[mine.user_id]) as own
  left join enrollment_progress as kept
    on kept.user_id = mine.user_id and kept.course_offering_id = mine.course_offering_id
  where (kept.progress_percent, kept.completed_items) is distinct from (own.progress_percent, own.completed_items)`;

const recountProgress = async () => {
  let isMore: unknown = true;
  while (isMore)
    isMore = (await database.run("select recompute_progress_after_outline_edits(2) as is_more"))[0]?.[
      "is_more"
    ];
};

it("the stored progress equals the rows after each write, and after the job for an edit", async () => {
  const values = new Set<unknown>();
  for (let round = 0; round < 600; round += 1) {
    const name = oneOf(Object.keys(writes));
    const statement = writes[name]?.() ?? "";
    await database.run(statement);
    if (edits.includes(name)) await recountProgress();
    expect(await database.run(differing), `${round}: ${name} ${statement}`).toEqual([]);
    for (const { percent } of await database.run(percents)) values.add(percent);
  }
  expect(values.size).toBeGreaterThan(20);
});

it("stored trees equal the rows as well", async () => {
  await recountProgress();
  await database.run("select refresh_stale_course_progress_dates(1000)");
  expect(
    await database.run(`
      select kept.* from course_trees as kept full join (
        select tree.* from course_offerings as run cross join lateral course_progress_dates_of_people(run.id, array[1, 2, 3]) as tree
        where coalesce(run.ends_at > service_now(), true)
      ) as own on (own.user_id, own.course_offering_id) = (kept.user_id, kept.course_offering_id)
      where kept.course_offering_id <> 4 and (kept.completed_on, kept.begun_on, kept.fresh_on)
        is distinct from (own.completed_on, own.begun_on, own.fresh_on)`),
  ).toEqual([]);
});
