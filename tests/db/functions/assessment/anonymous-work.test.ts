import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { anonymousSubmissionDaySql } from "../../../../lib/assessment/anonymous-grading.ts";
import { anonymousAuditSubjectCondition } from "../../../../lib/identity/audit/listing.ts";
import { openSession } from "../session.ts";

const { rows, value, column, refusal } = openSession();

beforeEach(() => says({ anonymous: true }));

const request = `'{"at": "2026-03-01T12:00:00Z"}'::jsonb`;
const says = (data: object) =>
  rows(`update content_items set content_type_id = (select id from content_types where name = 'assignment'),
    data_json = '${JSON.stringify(data)}' where id = 1`);
const handsIn = (person: number, offering = 1) =>
  rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number)
    select ${person}, ${offering}, 1, count(*) + 1 from lab_submissions where user_id = ${person}`);
const codeOf = (person: number) => value(`select anonymous_code(1, 1, ${person})`);
const releases = () =>
  rows("insert into grade_releases (course_offering_id, content_item_id, released_at) values (1, 1, now())");

it("lab_submissions_after_write gives a person the one anonymous_code of an anonymous item with their first work", async () => {
  const hides: unknown[] = [];
  for (const data of [{}, { anonymous: false }, { anonymous: "true" }, { anonymous: true }]) {
    await says(data);
    hides.push(await value("select is_grading_anonymous(1, 1)"));
  }
  expect(hides).toEqual([false, false, false, true]);
  await handsIn(1);
  const code = await codeOf(1);
  expect(code).toMatch(/^[B-DF-HJ-NP-RTV]{8}$/);
  await handsIn(1);
  await value("select ensure_anonymous_code(1, 1, 1)");
  await rows(`insert into quiz_attempts (user_id, course_offering_id, content_item_id) values (2, 1, 1)`);
  expect([await codeOf(1), await value("select count(*)::int from anonymous_codes")]).toEqual([code, 2]);
  expect(await codeOf(2)).not.toBe(code);
  await says({});
  await handsIn(3);
  expect(await codeOf(3)).toBeNull();
});

it("a hidden moment is a day, as if the class's due date were everyone's", async () => {
  const shown = async (moment: string, late = 0) =>
    value(
      sql`select (${anonymousSubmissionDaySql({ offering: sql`1`, item: sql`1` }, sql`${moment}::timestamptz`, sql`${late}::int`)} at time zone 'UTC')::text`,
    );
  await rows("update content_items set due_at = null where id = 1");
  expect(await shown("2026-03-10T12:07:31Z")).toBe("2026-03-10 00:00:00");
  await rows("update content_items set due_at = '2026-03-12T22:00Z' where id = 1");
  expect(await shown("2026-03-10T12:07:31Z")).toBe("2026-03-10 00:00:00");
  // Five extra days, and two days late with them.
  expect(await shown("2026-03-15T12:07:31Z")).toBe("2026-03-12 00:00:00");
  expect(await shown("2026-03-19T12:07:31Z", 2)).toBe("2026-03-14 00:00:00");
});

it("is_grading_anonymous( and the person of a grade change, until that item is released in that offering", async () => {
  const hides = (action: string, details: object) =>
    anonymousAuditSubjectCondition(sql`${action}::text`, sql`${JSON.stringify(details)}::jsonb`);
  const hidden = () =>
    rows(sql`select is_grading_anonymous(1, 1) as item, is_grading_anonymous(1, 2) as other, is_grading_anonymous(2, 1) as elsewhere,
      ${hides("grade.changed", { course_offering_id: 1, content_item_id: 1 })} as change,
      ${hides("grade.changed", { course_offering_id: 1 })} as course,
      ${hides("quiz.regraded", { course_offering_id: 1, content_item_id: 1 })} as regrade`);
  const others = { other: false, elsewhere: true, course: false, regrade: false };
  expect(await hidden()).toEqual([{ item: true, change: true, ...others }]);
  await releases();
  expect(await hidden()).toEqual([{ item: false, change: false, ...others }]);
});

it("are_item_grades_released( waits for an explicit release of anonymous work", async () => {
  await rows(`insert into grading_schemes (course_offering_id, letter_scale, passing_percent, groups, release_mode)
    values (1, '[]', 60, '[]', 'automatic')`);
  const released = () => column("select are_item_grades_released(1, id) from content_items order by id");
  expect(await released()).toEqual([false, true]);
  await releases();
  expect(await released()).toEqual([true, true]);
});

it("draw_codes_or_refuse_anonymity_change( gives codes for works, and keeps what was promised until a release", async () => {
  const fits = (data: object, former: object) =>
    `select draw_codes_or_refuse_anonymity_change(jsonb_populate_record(one, '${JSON.stringify({ data_json: data })}'),
      '${JSON.stringify(former)}') from content_items as one where id = 1`;
  await says({});
  await handsIn(1);
  expect(await rows("select * from works")).toEqual([
    { user_id: 1, course_offering_id: 1, content_item_id: 1 },
  ]);
  await rows(fits({ anonymous: true }, {}));
  expect(await codeOf(1)).toBeNull();
  await rows(fits({ anonymous: true }, { anonymous: false }));
  expect(await codeOf(1)).not.toBeNull();
  await releases();
  await rows(fits({}, { anonymous: true }));
  await rows("delete from grade_releases");
  expect((await refusal(fits({}, { anonymous: true }))).constraint).toBe("content_items_stay_anonymous");
});

it("draw_codes_or_refuse_anonymity_change( waits for the release of the item, not of another one", async () => {
  await handsIn(1);
  await rows(
    "insert into grade_releases (course_offering_id, content_item_id, released_at) values (1, 2, now())",
  );
  const named = `select draw_codes_or_refuse_anonymity_change(jsonb_populate_record(one, '{"data_json": {}}'), data_json)
    from content_items as one where id = 1`;
  expect((await refusal(named)).constraint).toBe("content_items_stay_anonymous");
  await releases();
  await rows(named);
});

it("finalize_course_grades waits for a release if an anonymous item counts and has work", async () => {
  const refuses = `select from finalize_course_grades(1, 3, '{"with_awaiting": true, "dry": true}', now(), ${request})`;
  await rows(refuses);
  await handsIn(1);
  expect((await refusal(refuses)).constraint).toBe("course_grades_after_release");
  await releases();
  await rows(refuses);
});

it("gradebook_cells_with_weights_and_drops( and current_and_final_course_percents( omit unreleased anonymous work for named people", async () => {
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  await handsIn(1);
  await rows("update lab_submissions set status = 'graded', score_obtained = 50, max_score = 100");
  const counted = (named: boolean) =>
    rows(`select (select count(*)::int from gradebook_cells_with_weights_and_drops(1, array[1], false, ${named})) as cells, current_percent::float8 as percent
      from current_and_final_course_percents(1, array[1], false, ${named})`);
  expect(await counted(false)).toEqual([{ cells: 1, percent: 50 }]);
  expect(await counted(true)).toEqual([{ cells: 0, percent: null }]);
  await releases();
  expect(await counted(true)).toEqual([{ cells: 1, percent: 50 }]);
});
