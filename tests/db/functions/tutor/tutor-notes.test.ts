import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

it("tutor_contexts is null without teachers' notes, and else returns them", async () => {
  const told = () => value("select context from tutor_contexts where content_item_id = 1");
  expect(await told()).toBeNull();
  await rows(`insert into tutor_notes (course_id, content_item_id, notes, never_say)
    select course_id, id, 'Solution', '["Never"]' from content_items where id = 1`);
  await rows("update content_items set tutor_line = ' ' where id = 1");
  await rows(
    "update courses set tutor_line = 'Be brief.' where id = (select course_id from content_items where id = 1)",
  );
  const notes = { notes: "Solution", key_facts: [], common_errors: [], never_say: ["Never"] };
  expect(await told()).toEqual({ item_notes: notes, course_line: "Be brief." });
  await rows(`insert into tutor_notes (course_id, notes)
    select course_id, 'Of all' from content_items where id = 1`);
  const ofCourse = { ...notes, notes: "Of all", never_say: [] };
  expect(await told()).toEqual({ item_notes: notes, course_notes: ofCourse, course_line: "Be brief." });
  await rows("update tutor_notes set notes = '', never_say = '[]'");
  expect(await told()).toEqual({ course_line: "Be brief." });
});

it("told_pools has no row for an item without a pool", async () => {
  expect(
    await rows(`select from told_pools join content_items on content_items.id = told_pools.content_item_id
      where data_json ->> 'question_pool_id' is null`),
  ).toEqual([]);
});

it("copy_course copies the notes of a course and of its items, without their versions", async () => {
  await rows(
    `insert into tutor_notes (course_id, notes) select course_id, 'Of all' from content_items where id = 1`,
  );
  await rows(`insert into tutor_notes (course_id, content_item_id, notes, key_facts, version)
    select course_id, id, 'Solution', '["Fact"]', 3 from content_items where id = 1`);
  const copy = await value("select (course).id from copy_course(1, '{}')");
  expect(
    await rows(`select item.origin_item_id, notes, key_facts, told.version
      from tutor_notes as told left join content_items as item on item.id = told.content_item_id
      where told.course_id = ${copy} order by told.id`),
  ).toEqual([
    { origin_item_id: 1, notes: "Solution", key_facts: ["Fact"], version: 1 },
    { origin_item_id: null, notes: "Of all", key_facts: [], version: 1 },
  ]);
});
