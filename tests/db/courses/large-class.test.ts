import { sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

const learners = 5000;
const labs = 4;
const page = 50;

let offeringId: number;
let people: number[];

/** Every learner has submitted every lab, has a grade and an override. Inserted without triggers. */
beforeAll(async () => {
  const { lab, offering, module, course, university } = await openLab(world);
  offeringId = offering.id;
  await world.deps.db.execute(`
    set session_replication_role = replica;
    insert into content_items (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
      select ${module.id}, ${course.id}, ${university.id}, ${lab.content_type_id}, 'Lab ' || n, 100000 + n,
             '{"grading": {"max_points": 20}}' from generate_series(2, ${labs}) as n;
    insert into users (email, full_name) select 'learner-' || n || '@example.edu', 'Learner ' || n from generate_series(1, ${learners}) as n;
    insert into enrollments (user_id, course_offering_id, university_id, is_admitted)
      select id, ${offering.id}, ${university.id}, true from users where email like 'learner-%';
    create temp table work as select user_id, item.id as content_item_id
      from enrollments, content_items as item
      where course_offering_id = ${offering.id} and item.course_id = ${course.id} and item.content_type_id = ${lab.content_type_id};
    insert into lab_submissions (user_id, course_offering_id, content_item_id, status, score_obtained, max_score)
      select user_id, ${offering.id}, content_item_id, 'graded', 17, 20 from work;
    insert into quiz_attempts (user_id, course_offering_id, content_item_id, submitted_at, score_obtained, max_score)
      select user_id, ${offering.id}, content_item_id, now(), 17, 20 from work;
    insert into item_grades (user_id, course_offering_id, content_item_id, score_override, version)
      select user_id, ${offering.id}, content_item_id, 18, 1 from work;
    drop table work;
    set session_replication_role = origin;
    analyze;`);
  const { rows } = await world.deps.db.execute<{ user_id: number }>(
    sql`select user_id from enrollments where course_offering_id = ${offering.id} order by user_id desc limit ${page}`,
  );
  people = rows.map(({ user_id }) => user_id);
});

it("a page of a class of thousands reads no one else's results", async () => {
  const chosen = sql`${offeringId}, ${sql.raw(`array[${people}]`)}`;
  const read = await world.deps.db.transaction(async (tx) => {
    await tx.execute(sql`select * from gradebook_cells_of_people(${chosen})`);
    await tx.execute(sql`select * from current_and_final_course_percents(${chosen}, false, false)`);
    const { rows } = await tx.execute<{ table: string; rows: number }>(sql`
      select relname as table, (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
      where relname in ('item_grades', 'lab_submissions', 'quiz_attempts') order by 1`);
    return rows;
  });
  expect(read.map(({ table }) => table)).toEqual(["item_grades", "lab_submissions", "quiz_attempts"]);
  for (const { table, rows } of read) expect(rows, table).toBeLessThanOrEqual(2 * page * labs);
});
