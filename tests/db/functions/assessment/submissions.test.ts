import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { graderSecretVersionColumnsSql } from "../../../../lib/assessment/grader-calls.ts";
import { otherGroupWorkMembersJsonSql } from "../../../../lib/assessment/stored-submission.ts";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

/** Ada and Ben are in the first offering, whose first item is a lab of 20 points; Cyd grades. */
beforeEach(async () => {
  await says({});
  await rows("update course_offerings set capacity = null");
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1), (2, 1)");
});

const says = (data: object) =>
  rows(`update content_items set content_type_id = (select id from content_types where name = 'engineering_lab'),
    data_json = '${JSON.stringify({ grading: { max_points: 20 }, ...data })}' where id = 1`);

const noon = "2026-03-01 12:00Z";
const submit = (body: string, moment = noon, person = 1) =>
  rows(`select refusal, is_new, (submission).id, (submission).attempt_number as attempt, (submission).is_late as late
    from submit_work(${person}, 1, 1, '{"body": "${body}", "links": []}', '${moment}', '2026-03-01')`);
const submitted = async (body = "x") => Number((await submit(body))[0]?.["id"]);
const request = `'{"at": "2026-03-01T12:00:00Z"}'`;
const grade = (id: number, points: number, grader = 3, moment = noon) =>
  value(
    `select refusal from grade_submission_with_group(
      ${id}, ${grader}, '{"points": ${points}, "feedback": "Good"}', '${moment}', ${request})`,
  );
const standing = (id: number) =>
  rows(
    `select status, score_obtained::float8 as score, grade_source as source from lab_submissions where id = ${id}`,
  );

it("submission_time_for_lateness is the first time of returned work if that was on time, else the moment", async () => {
  const counted = (due: string) =>
    value(`select submission_time_for_lateness(1, 1, 1, 2, '2026-03-09 12:00Z', '${due}') = '${noon}'`);
  const id = await submitted();
  expect(await counted("2026-03-05Z")).toBe(false);
  await rows(`update lab_submissions set status = 'returned' where id = ${id}`);
  expect(await counted("2026-03-05Z")).toBe(true);
  expect(await counted("2026-02-05Z")).toBe(false);
});

it("has_attempt_left_before_closing lets returned work that was on time be handed in after the last moment", async () => {
  await says({ accepts_late: false });
  await rows("update content_items set due_at = '2026-03-05Z' where id = 1");
  const canAttempt = (moment: string) =>
    value(`select has_attempt_left_before_closing(1, 1, 1, '${moment}')`);
  const id = await submitted();
  expect([await canAttempt("2026-03-04Z"), await canAttempt("2026-03-06Z")]).toEqual([true, false]);
  await rows(`update lab_submissions set status = 'returned' where id = ${id}`);
  expect(await canAttempt("2026-03-06Z")).toBe(true);
  expect((await submit("y", "2026-03-06Z"))[0]).toMatchObject({ refusal: null, late: false });
  await rows("update content_items set due_at = '2026-02-05Z' where id = 1");
  expect(await canAttempt("2026-03-06Z")).toBe(false);
});

it("next_id_random_for_anonymous_work continues a sequence, and is random for anonymous work", async () => {
  const next = async () =>
    Number(await value("select next_id_random_for_anonymous_work('lab_submissions', 1)"));
  expect((await next()) - (await next())).toBe(-1);
  await says({ anonymous: true });
  const ids = [await next(), await next(), await next()];
  for (const id of ids) expect(id).toBeGreaterThanOrEqual(2 ** 48);
  expect(new Set(ids).size).toBe(3);
});

it("apply_deferred_effects_of_anonymous_release completes items once their grades are released, as of the release", async () => {
  await says({ anonymous: true });
  await grade(await submitted(), 20);
  const completed = () =>
    value(`select max(completed_at) = '2026-03-20Z' from user_content_progress where user_id = 1`);
  await rows("select apply_deferred_effects_of_anonymous_release(1, '{1}')");
  expect(await completed()).toBeNull();
  await rows(`insert into grade_releases (course_offering_id, content_item_id, released_at)
    values (1, 1, '2026-03-20Z')`);
  await rows("select apply_deferred_effects_of_anonymous_release(1, '{1}')");
  expect(await completed()).toBe(true);
});

it("effective_submission_rules_of_person are the item's, and a person's accommodations override them", async () => {
  const rules = () =>
    rows(
      "select due_at, most_attempts, closes_at, max_points::float8 as points from effective_submission_rules_of_person(1, 1, 1) as one",
    );
  expect(await rules()).toEqual([{ due_at: null, most_attempts: null, closes_at: null, points: 20 }]);
  await says({ max_attempts: 2, accepts_late: false });
  await rows("update content_items set due_at = '2026-03-05' where id = 1");
  expect(await rules()).toMatchObject([{ most_attempts: 2, closes_at: new Date("2026-03-05T00:00:00Z") }]);
  await says({ max_attempts: 2, max_late_days: 2 });
  expect(await rules()).toMatchObject([{ closes_at: new Date("2026-03-07T00:00:00Z") }]);
  await rows(
    `select from grant_item_override_and_update_work(1, 1, 1, '{"max_attempts": 3, "due_at": "2026-03-09"}', now())`,
  );
  expect(await rules()).toMatchObject([{ most_attempts: 3, due_at: new Date("2026-03-09T00:00:00Z") }]);
  expect(await rows("select from effective_submission_rules_of_person(2, 1, 1)")).toEqual([]);
});

describe("work of a group", () => {
  const grading = (id: number, points: number, more = "") =>
    value(
      `select refusal from grade_submission_with_group(
        ${id}, 3, '{"points": ${points}, "feedback": "Good"${more}}', '${noon}', ${request})`,
    );
  const works = () =>
    rows(`select user_id as person, attempt_number as attempt, status, score_obtained::float8 as score, graded_alone as alone
      from lab_submissions order by user_id, attempt_number`);
  const group = async (id: number, ...members: number[]) => {
    await rows(`insert into offering_groups (id, course_offering_id, name) overriding system value
      values (${id}, 1, 'Team ${id}')`);
    for (const one of members)
      await rows(`insert into offering_group_members (group_id, course_offering_id, user_id, group_role)
        values (${id}, 1, ${one}, 'member')`);
  };

  beforeEach(async () => {
    await says({ group_submission: true });
    await group(7, 1, 2);
  });

  it("belongs to the submitter's group, and copy_submission_to_group_members gives it to its other members", async () => {
    const of = async (wanted: string) => {
      await rows("savepoint handing_in");
      const found = await rows(`
        select refusal, (submission).group_id as id
        from submit_work(1, 1, 1, '{"body": "x", "links": [], "group_id": ${wanted}}', '${noon}', '2026-03-01')`);
      await rows("rollback to savepoint handing_in");
      return found;
    };
    expect(await of("null")).toEqual([{ refusal: null, id: 7 }]);
    expect(await of("9")).toEqual([{ refusal: "no group", id: null }]);
    await group(8, 1);
    expect(await of("null")).toEqual([{ refusal: "which group", id: null }]);
    expect(await of("8")).toEqual([{ refusal: null, id: 8 }]);
    await says({});
    expect(await of("null")).toEqual([{ refusal: null, id: null }]);
    await says({ group_submission: true });
    await rows("delete from offering_groups where id = 8");
    const id = await submitted();
    expect(await works()).toMatchObject([
      { person: 1, attempt: 1 },
      { person: 2, attempt: 1 },
    ]);
    expect(
      await value(
        sql`select ${otherGroupWorkMembersJsonSql(sql`mine`)} from lab_submissions as mine where mine.id = ${id}`,
      ),
    ).toMatchObject([{ user_id: 2 }]);
    await rows(
      `select copy_submission_to_group_members(one, '${noon}') from lab_submissions as one where id = ${id}`,
    );
    expect(await works()).toHaveLength(3);
  });

  it("is locked by lock_submission_with_group_and_grades, graded by grade_submission_without_group for one, and by grade_submission_with_group for all", async () => {
    const id = await submitted();
    expect(await value(`select (lock_submission_with_group_and_grades(${id})).user_id`)).toBe(1);
    expect(
      await value("select (lock_submission_with_group_and_grades(999, with_grades => false)).id"),
    ).toBeNull();
    await rows(
      `select from grade_submission_without_group(${id}, 3, '{"points": 4}', '${noon}', ${request})`,
    );
    expect(await works()).toMatchObject([{ score: 4 }, { score: null }]);
    expect(await grading(id, 9)).toBeNull();
    expect(await works()).toMatchObject([{ score: 9 }, { score: 9 }]);
    expect(await grading(id, 3, ', "alone": true')).toBeNull();
    expect(await grading(id + 1, 8)).toBeNull();
    expect(await works()).toMatchObject([{ score: 3, alone: true }, { score: 8 }]);
    await rows(`select from return_submission_for_revision(${id}, 3, 'Again', '${noon}', ${request}, null)`);
    expect(await works()).toMatchObject([
      { status: "returned", alone: false },
      { status: "returned", alone: false },
    ]);
  });

  it("gets its own grader's result by grade_submissions_by_auto_grader_result for all", async () => {
    const id = await submitted();
    const say = (points: number, at: string) =>
      value(
        `select outcome from grade_submissions_by_auto_grader_result(${id}, ${points}, '{}', '${at}', 1, '${at}', ${request})`,
      );
    expect(await say(5, noon)).toBe("graded");
    expect(await works()).toMatchObject([{ score: 5 }, { score: 5 }]);
    await rows(`update lab_submissions set grade_source = 'hand' where id = ${id + 1}`);
    expect(await say(6, "2026-03-01 12:05Z")).toBe("graded");
    expect(await works()).toMatchObject([{ score: 6 }, { score: 5 }]);
  });

  it("keeps its files for the others: submissions_sharing_files, move_group_feedback_files_to_submission, erase_files_of_person", async () => {
    const id = await submitted();
    const mate = id + 1;
    const ids = (ofFeedback: boolean) =>
      column(`select submissions_sharing_files(${mate}, ${ofFeedback}) as id order by 1`);
    expect([await ids(false), await ids(true)]).toEqual([
      [id, mate],
      [id, mate],
    ]);
    const [object] = await column(
      `insert into stored_objects (key, sha256, size) values ('group', md5('x'), 1) returning id`,
    );
    await rows(`insert into files (id, object_id, purpose, state, name, media_type, size, sha256, uploaded_by_user_id)
      overriding system value
      values (1, ${object}, 'submission', 'ready', 'a', 'text/plain', 1, md5('x'), 1),
        (2, ${object}, 'feedback', 'ready', 'b', 'text/plain', 1, md5('x'), 3)`);
    await rows(`insert into file_uses (file_id, submission_id) values (1, ${id})`);
    await rows(`insert into file_uses (file_id, graded_submission_id) values (2, ${id})`);
    const uses = () =>
      column("select coalesce(submission_id, graded_submission_id)::int from file_uses order by file_id");
    await rows(`select move_group_feedback_files_to_submission(${mate})`);
    expect(await uses()).toEqual([id, mate]);
    await rows(`select move_group_feedback_files_to_submission(${id})`);
    await rows(`select erase_files_of_person(1, '${noon}')`);
    expect(await uses()).toEqual([mate, mate]);
    expect(await column("select uploaded_by_user_id from files order by id")).toEqual([null, 3]);
    await rows("update lab_submissions set graded_alone = true where user_id = 2");
    expect([await ids(false), await ids(true)]).toEqual([[id, mate], [mate]]);
    await rows(`select move_group_feedback_files_to_submission(${id})`);
    expect(await uses()).toEqual([mate, mate]);
  });
});

describe("submit_work", () => {
  it("stores an attempt, returns the same one unchanged, and stores a different one as the next", async () => {
    expect(await submit("x")).toMatchObject([{ refusal: null, is_new: true, attempt: 1, late: false }]);
    expect(await submit("x")).toMatchObject([{ refusal: null, is_new: false, attempt: 1 }]);
    expect(await submit("y")).toMatchObject([{ is_new: true, attempt: 2 }]);
    expect(await column("select verb from activity_events")).toEqual(["submitted", "submitted"]);
  });

  it("returns lateness, and why it accepts no more", async () => {
    await says({ max_attempts: 1 });
    await rows("update content_items set due_at = '2026-03-01 12:00Z' where id = 1");
    expect(await submit("x", "2026-03-01 12:01Z")).toMatchObject([{ late: true }]);
    expect(await submit("y")).toMatchObject([{ refusal: "no attempt left", id: null }]);
    expect(await submit("y", noon, 3)).toMatchObject([{ refusal: "not enrolled" }]);
    await says({ accepts_late: false });
    expect(await submit("y", "2026-03-01 12:01Z")).toMatchObject([{ refusal: "closed" }]);
    await rows("update content_items set is_active = false where id = 1");
    expect(await submit("y")).toMatchObject([{ refusal: "hidden" }]);
  });
});

describe("a claim", () => {
  const claim = (id: number, grader: number, moment: string) =>
    value(`select refusal from claim_submission_for_grading(${id}, ${grader}, '${moment}')`);

  it("excludes other graders for a quarter of an hour, and its owner renews it", async () => {
    const id = await submitted();
    expect(await claim(id, 3, noon)).toBeNull();
    expect(await claim(id, 2, "2026-03-01 12:14Z")).toBe("claimed");
    expect(await grade(id, 5, 2)).toBe("claimed");
    expect(await claim(id, 3, "2026-03-01 12:14Z")).toBeNull();
    expect(await claim(id, 2, "2026-03-01 12:28Z")).toBe("claimed");
    expect(await claim(id, 2, "2026-03-01 12:29Z")).toBeNull();
    expect(await claim(id + 1, 2, noon)).toBeUndefined();
  });

  it("is rejected for the caller's own work, as refusal_to_grade_submission says", async () => {
    const id = await submitted();
    expect(await claim(id, 1, noon)).toBe("own");
    const refusal = `select refusal_to_grade_submission(one, 1, '${noon}') from lab_submissions as one`;
    expect(await value(refusal)).toBe("own");
  });
});

describe("grade_submission_with_group", () => {
  it("grades over another grade, completes the item, and notes each change once", async () => {
    const id = await submitted();
    expect(await grade(id, 21)).toBe("too many points");
    expect(await grade(id, 15)).toBeNull();
    expect(await standing(id)).toEqual([{ status: "graded", score: 15, source: "hand" }]);
    expect(await value("select completed_at is not null from user_content_progress")).toBe(true);
    for (const points of [15, 16]) expect(await grade(id, points)).toBeNull();
    const changes = await rows(
      "select former_json -> 'score' as former, current_json -> 'score' as current from grade_changes",
    );
    expect(changes).toEqual([
      { former: null, current: 15 },
      { former: 15, current: 16 },
    ]);
    const told =
      "select count(*)::int from audit_events where action = 'grade.changed' and actor_id = 3 and subject_id = 1";
    expect(await value(told)).toBe(2);
  });

  it("keeps the feedback if it is absent; null clears it", async () => {
    const id = await submitted();
    const judge = async (given: object) => {
      await rows(
        `select from grade_submission_with_group(${id}, 3, '${JSON.stringify({ points: 15, ...given })}', '${noon}', ${request})`,
      );
      return value("select instructor_feedback from lab_submissions");
    };
    for (const [given, kept] of [
      [{}, null],
      [{ feedback: "Mind the units" }, "Mind the units"],
      [{ points: 16 }, "Mind the units"],
      [{ agrees: true }, "Mind the units"],
      [{ feedback: "Good" }, "Good"],
      [{ feedback: null }, null],
    ] as const)
      expect([given, await judge(given)]).toEqual([given, kept]);
  });

  it("grades open work after the final grade, and nothing again; and submissions are closed", async () => {
    const id = await submitted();
    await rows("insert into course_grades (user_id, course_offering_id, graded_at) values (1, 1, now())");
    expect(
      await value(
        `select refusal from return_submission_for_revision(${id}, 3, 'Again', '${noon}', ${request}, null)`,
      ),
    ).toBe("final");
    expect([await grade(id, 15), await grade(id, 16)]).toEqual([null, "final"]);
    expect(await submit("y")).toMatchObject([{ refusal: "final" }]);
  });

  it("lock_submission_with_group_and_grades is null for a deleted one, and record_submission_grade_change_and_notify records nothing before there is a grade", async () => {
    const id = await submitted();
    expect(await value(`select (lock_submission_with_group_and_grades(${id + 1})).id`)).toBeNull();
    expect(
      await value(
        `select record_submission_grade_change_and_notify('submission_graded', one, one, null, 3, now(), ${request}) from lab_submissions as one`,
      ),
    ).toBeNull();
    expect(await value("select count(*)::int from grade_changes")).toBe(0);
  });
});

it("return_submission_for_revision takes a grade back, and makes room for another attempt", async () => {
  await says({ max_attempts: 1 });
  const id = await submitted();
  await grade(id, 15);
  const give = () =>
    value(
      `select refusal from return_submission_for_revision(${id}, 3, 'Again', '${noon}', ${request}, null)`,
    );
  expect([await give(), await give()]).toEqual([null, null]);
  expect(await standing(id)).toEqual([{ status: "returned", score: null, source: null }]);
  expect(await value("select completed_at from user_content_progress")).toBeNull();
  expect(await grade(id, 15)).toBe("returned");
  expect(await submit("x")).toMatchObject([{ is_new: true, attempt: 2 }]);
  expect(await value("select count(*)::int from grade_changes")).toBe(2);
});

it("grade_submissions_by_auto_grader_result never overrides a person's grade, nor a later result", async () => {
  const id = await submitted();
  const auto = (points: number, at: string, details = {}) =>
    value(`select outcome from grade_submissions_by_auto_grader_result(
      ${id}, ${points}, '${JSON.stringify(details)}', '2026-03-01 ${at}Z', 1, '${noon}', ${request})`);
  expect(await auto(21, "12:00")).toBe("too many points");
  expect(await auto(10, "12:00")).toBe("graded");
  expect(await auto(11, "12:00")).toBe("graded");
  expect(await auto(9, "11:59")).toBe("superseded");
  expect(await standing(id)).toEqual([{ status: "graded", score: 10, source: "auto" }]);
  expect(await auto(12, "12:01")).toBe("graded");
  await grade(id, 20);
  expect(await auto(13, "12:02", { tests: 4 })).toBe("kept");
  expect(await standing(id)).toEqual([{ status: "graded", score: 20, source: "hand" }]);
  expect(await value("select auto_grade_json from lab_submissions")).toEqual({ tests: 4 });
  expect(await column("select (current_json -> 'score')::int from grade_changes order by id")).toEqual([
    10, 12, 20,
  ]);
});

it("grade_submissions_by_auto_grader_result grades open work after the final grade, and nothing again", async () => {
  const id = await submitted();
  await rows("insert into course_grades (user_id, course_offering_id, graded_at) values (1, 1, now())");
  const auto = (at: string) =>
    value(
      `select outcome from grade_submissions_by_auto_grader_result(${id}, 10, '{}', '2026-03-01 ${at}Z', 1, '${noon}', ${request})`,
    );
  expect([await auto("12:00"), await auto("12:01")]).toEqual(["graded", "final"]);
});

it("renew_auto_grader_secret increases the version: signatures of former ones are rejected, and readers are cleared", async () => {
  const id = await submitted();
  const version = () =>
    value(sql`select version from (select ${graderSecretVersionColumnsSql} from lab_submissions) as one`);
  const auto = (signedWith: number) =>
    value(`select outcome from grade_submissions_by_auto_grader_result(
      ${id}, 9, '{}', '2026-03-01 12:00Z', ${signedWith}, '${noon}', ${request})`);
  await rows(`insert into auto_grader_readers (course_offering_id, content_item_id, user_id, secret_version, read_at)
    values (1, 1, 2, 1, '${noon}')`);
  expect(await version()).toBe(1);
  expect(await value(`select renew_auto_grader_secret(1, 1, 3, '${noon}', ${request})`)).toBe(2);
  expect(await value(`select renew_auto_grader_secret(1, 1, 3, '${noon}', ${request})`)).toBe(3);
  expect(await version()).toBe(3);
  expect(await column("select user_id from auto_grader_readers")).toEqual([3]);
  expect([await auto(1), await auto(2), await auto(3)]).toEqual(["renewed", "renewed", "graded"]);
  expect(await column("select details ->> 'version' from audit_events order by id")).toEqual(
    expect.arrayContaining(["2", "3"]),
  );
});

it("grade_submissions_by_auto_grader_result rejects results for work of a reader of its secret", async () => {
  const id = await submitted();
  await rows(`insert into auto_grader_readers (course_offering_id, content_item_id, user_id, secret_version, read_at)
    values (1, 1, 1, 1, '${noon}')`);
  const statement = `select outcome from grade_submissions_by_auto_grader_result(
    ${id}, 9, '{}', '2026-03-01 12:00Z', 1, '${noon}', ${request})`;
  expect(await value(statement)).toBe("own");
  expect(await standing(id)).toMatchObject([{ status: "submitted" }]);
});
