import { beforeAll, expect, it } from "vitest";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

let opened: Awaited<ReturnType<typeof openLab>>;

/** 500 learners and 60 graded labs, inserted without triggers. */
beforeAll(async () => {
  opened = await openLab(world);
  const { lab, paper, offering, module, course, university } = opened;
  await world.deps.db.execute(`
    set session_replication_role = replica;
    insert into content_items (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
      select ${module.id}, ${course.id}, ${university.id}, ${lab.content_type_id}, 'A lab with a title of some length ' || n,
             100000 + n, '{"grading": {"max_points": 20}}' from generate_series(1, 58) as n;
    insert into users (email, full_name) select 'learner-' || n || '@example.edu', 'Learner number ' || n from generate_series(1, 499) as n;
    insert into enrollments (user_id, course_offering_id, university_id, is_admitted)
      select id, ${offering.id}, ${university.id}, true from users where email like 'learner-%';
    insert into lab_submissions (user_id, course_offering_id, content_item_id, status, score_obtained, max_score)
      select user_id, ${offering.id}, item.id, 'graded', 17.25, 20
      from enrollments, content_items as item
      where course_offering_id = ${offering.id} and item.course_id = ${course.id} and item.id <> ${paper.id};
    set session_replication_role = origin;
    analyze lab_submissions, enrollments, users, content_items;`);
});

const lastRead = () => world.log.findLast((line) => line["db_query_count"] !== undefined);

it("a gradebook of 500 learners and 60 items is one read of less than 2 MB, in one statement", async () => {
  await opened.gradebook("?limit=1");
  world.log.length = 0;
  const reply = await opened.gradebook();
  expect(reply.status).toBe(200);
  expect([reply.body.rows.length, reply.body.columns.length]).toEqual([500, 60]);
  expect(reply.body.rows[9].cells).toHaveLength(60);
  expect(reply.text.length).toBeLessThan(2_000_000);
  await expect.poll(lastRead).toBeDefined();
  expect(lastRead()?.["db_query_count"]).toBe(1);
  const csv = await opened.gradebook("?format=csv");
  expect(csv.text.split("\r\n")).toHaveLength(502);
});

it("importing an export changes nothing, in one statement in addition to the checks of its caller", async () => {
  const { text } = await opened.gradebook("?format=csv");
  world.log.length = 0;
  const path = `${opened.here}/gradebook/import`;
  const reply = await world.as(opened.assistant).post(path, { csv: text, reason: "The same" });
  expect(reply.body).toMatchObject({ changed: 0, refused: 0, unchanged: 500 * 59 });
  await expect.poll(lastRead).toBeDefined();
  expect(lastRead()?.["db_query_count"]).toBeLessThanOrEqual(3);
});

it("all of them are finalized together", async () => {
  expect((await opened.finalize()).body).toEqual({ finalized: 500, passed: 500, awaiting: 0, people: [] });
});
