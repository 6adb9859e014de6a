import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

it("tutor_context_of and notes_as_told are null without teachers' notes, and else return them", async () => {
  expect(await value("select tutor_context_of(1)")).toBeNull();
  await rows(`insert into tutor_notes (course_id, content_item_id, notes, never_say)
    select course_id, id, 'Solution', '["Never"]' from content_items where id = 1`);
  await rows("update content_items set tutor_line = ' ' where id = 1");
  await rows(
    "update courses set tutor_line = 'Be brief.' where id = (select course_id from content_items where id = 1)",
  );
  const notes = { notes: "Solution", key_facts: [], common_errors: [], never_say: ["Never"] };
  expect(await value("select tutor_context_of(1)")).toEqual({ item_notes: notes, course_line: "Be brief." });
  expect(await value("select notes_as_told(course_id, 1) from content_items where id = 1")).toEqual(notes);
  expect(await value("select notes_as_told(course_id, null) from content_items where id = 1")).toBeNull();
  await rows("update tutor_notes set notes = '', never_say = '[]'");
  expect(await value("select notes_as_told(course_id, 1) from content_items where id = 1")).toBeNull();
});

it("pool_as_told is null except for a quiz", async () => {
  expect(
    await value(
      "select pool_as_told(id) from content_items where data_json ->> 'question_pool_id' is null limit 1",
    ),
  ).toBeNull();
});

it("copy_tutor_notes gives a course the notes of its original, and copy_notes_of_items items those of theirs", async () => {
  await rows(
    `insert into tutor_notes (course_id, notes) select course_id, 'Of all' from content_items where id = 1`,
  );
  const target = await value(
    "insert into courses (university_id, title, code) values (1, 'Copy', 'C-1') returning id",
  );
  await rows(`select copy_tutor_notes(course_id, ${target}) from content_items where id = 1`);
  expect(await rows(`select content_item_id, notes from tutor_notes where course_id = ${target}`)).toEqual([
    { content_item_id: null, notes: "Of all" },
  ]);
  await rows(`insert into tutor_notes (course_id, content_item_id, notes, key_facts, version)
    select course_id, id, 'Solution', '["Fact"]', 3 from content_items where id = 1`);
  await rows(`select copy_notes_of_items('{"1": 2}', course_id) from content_items where id = 2`);
  expect(await rows("select notes, key_facts, version from tutor_notes where content_item_id = 2")).toEqual([
    { notes: "Solution", key_facts: ["Fact"], version: 1 },
  ]);
});
