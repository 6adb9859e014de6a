import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value, refusal } = openSession();

it("refuse_cycle_of_prerequisites rejects direct and indirect cycles", async () => {
  await rows("insert into course_prerequisites (course_id, prerequisite_course_id) values (2, 1), (3, 2)");
  const circle = "insert into course_prerequisites (course_id, prerequisite_course_id) values (1, 3)";
  expect((await refusal(circle)).constraint).toBe("course_prerequisites_acyclic");
});

it("replace_course_subjects replaces the set, with its primary subject", async () => {
  await rows(`select replace_course_subjects(1, '[{"subject_id": 2, "is_primary": false}]')`);
  const wanted = `[{"subject_id": 1, "is_primary": true}, {"subject_id": 3, "is_primary": false}]`;
  const answered = await rows(
    `select subject_id, is_primary from replace_course_subjects(1, '${wanted}') order by subject_id`,
  );
  expect(answered).toEqual(JSON.parse(wanted));
  expect(await value("select primary_subject_id from courses where id = 1")).toBe(1);
});
