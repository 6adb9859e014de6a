import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { eraseLeftoversQuery } from "../../../../lib/operations/personal-data/erase-leftovers.ts";
import { openSession } from "../session.ts";

const { rows, value, column, refusal, addUniversity } = openSession();

const at = "2026-03-10T12:00:00Z";
const facts = `'{"at": "${at}"}'`;

/** Ada takes the first offering; Ben and Cyd hold the office. */
beforeEach(async () => {
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
});

const ask = (kind: string, correction: object | null = null) =>
  value(`insert into data_requests (university_id, user_id, kind, received_on, correction, made_by_user_id, made_at)
    values (1, 1, '${kind}', '2026-03-01', ${correction ? `'${JSON.stringify(correction)}'` : "null"}, 2, '${at}') returning id`);
const decide = (id: unknown, by: number, approve = true) =>
  rows(`select refusal, (decided).state, (decided).available_until::date::text as until, (member).given_name
    from approve_or_reject_data_request(1, ${id}, ${by}, ${approve}, null, '${at}', ${facts})`);

it("approve_or_reject_data_request needs two people, neither of them the subject, and is done once", async () => {
  const id = await ask("export");
  expect(await decide(999, 3)).toEqual([]);
  expect(await decide(id, 1)).toMatchObject([{ refusal: "own_data_request" }]);
  expect(await decide(id, 2)).toMatchObject([{ refusal: "data_request_four_eyes" }]);
  expect(await decide(id, 3)).toMatchObject([{ refusal: null, state: "done", until: "2026-03-17" }]);
  expect(await decide(id, 3)).toMatchObject([{ refusal: "data_request_decided" }]);
  expect(await column("select kind || ' ' || address from mail_outbox")).toEqual([
    "data_request ada@example.edu",
  ]);
  // The table's constraint applies to every writer.
  const open = await ask("erase");
  const approve = `update data_requests set state = 'approved', decided_at = now(), decided_by_user_id`;
  expect(await refusal(`${approve} = 2 where id = ${open}`)).toMatchObject({
    constraint: "data_requests_four_eyes_check",
  });
  expect(await refusal(`${approve} = 1 where id = ${open}`)).toMatchObject({
    constraint: "data_requests_own_check",
  });
});

it("approve_or_reject_data_request writes a correction, or says why not", async () => {
  const id = await ask("rectify", { given_name: "Augusta" });
  expect(await decide(id, 3)).toMatchObject([{ refusal: null, state: "done", given_name: "Augusta" }]);
  await rows("insert into sourced_people (university_id, sourced_id, user_id) values (1, 's-1', 2)");
  const taken = await ask("rectify", { external_id: "s-1" });
  expect(await decide(taken, 3)).toMatchObject([{ refusal: "data_request_external_id_taken" }]);
});

it("is_person_under_retention_hold by a hold of the person, or of an offering of theirs", async () => {
  const held = (person: number) => value(`select is_person_under_retention_hold(1, ${person}, '${at}')`);
  await rows("select ensure_and_lock_retention_policy(1)");
  await rows("insert into retention_holds (university_id, course_offering_id, reason) values (1, 1, 'x')");
  expect([await held(1), await held(2)]).toEqual([true, false]);
  await rows("insert into retention_holds (university_id, user_id, reason) values (1, 2, 'x')");
  expect(await held(2)).toBe(true);
});

it("end_university_access_of_erased_person moves a record onto a number, and reassign_other_rows_to_erased_user up to so many of the rest", async () => {
  const number = await value(
    `insert into users (full_name, is_active, erased_at) values ('', false, '${at}') returning id`,
  );
  await rows(`insert into grade_changes (kind, user_id, course_offering_id, content_item_id, changed_at)
    values ('item_set', 1, 1, 1, '${at}')`);
  await rows(`insert into activity_events (user_id, university_id, verb, object_type, object_id, course_offering_id, occurred_at)
    select 1, 1, 'progressed', 'content_item', 1, 1, '2026-01-02Z' from generate_series(1, 3)`);
  expect(await refusal("update grade_changes set user_id = 2")).toMatchObject({ constraint: undefined });
  await rows(`select end_university_access_of_erased_person(1, 1, ${number}, '${at}', null)`);
  const named = () => column("select user_id from enrollments union all select user_id from grade_changes");
  expect(await named()).toEqual([number, 1]);
  expect(await value("select is_without_enrollment_in_offering(1, 1, 1)")).toBe(true);
  const results = () => value(`select reassign_results_to_erased_user(1, 1, ${number}, null, 10)`);
  expect([await results(), await results()]).toEqual([1, 0]);
  expect(await named()).toEqual([number, number]);
  expect(await rows("select from university_members where user_id = 1")).toEqual([]);
  const until = "2026-02-01Z";
  const step = () => value(`select reassign_other_rows_to_erased_user(1, 1, ${number}, '${until}', 2)`);
  expect([await step(), await step(), await step()]).toEqual([true, true, false]);
});

it("process_next_university_erasure_step continues after an interruption, and ends without a link to the number", async () => {
  const id = await ask("erase");
  await decide(id, 3);
  const step = (moment = at) => value(`select process_next_university_erasure_step('${moment}', 100, null)`);
  expect(await step()).toBe(true);
  expect(await column(`select erased_user_id is not null from data_requests where id = ${id}`)).toEqual([
    true,
  ]);
  // Nothing is left, and yet a request of the person's may be under way.
  expect(await step()).toBe(false);
  const later = "2026-03-10T13:00:00Z";
  expect([await step(later), await step(later)]).toEqual([true, false]);
  expect(
    await rows(
      `select state, erased_user_id, done_at is not null as done from data_requests where id = ${id}`,
    ),
  ).toEqual([{ state: "done", erased_user_id: null, done: true }]);
  expect(await column("select count(*)::int from erasures")).toEqual([1]);
});

it("anonymize_staff_work_at_university and reassign_other_rows_to_erased_user move what was there before, and nothing that came after", async () => {
  await rows(`insert into activity_days (user_id, course_id, day, milliseconds, questions)
    select 1, course_id, day::date, 5, 0 from course_offerings,
      generate_series(timestamp '2026-03-08', '2026-03-12', '1 day') as day where id = 1`);
  await rows(`insert into notes (user_id, content_item_id, body, created_at)
    select 1, 1, 'mine', timestamptz '${at}' + interval '2 minutes' * n from generate_series(-1, 1) as n`);
  const id = await ask("erase");
  await decide(id, 3);
  await rows(`select process_next_university_erasure_step('${at}', 100, null)`);
  const number = await value(`select erased_user_id from data_requests where id = ${id}`);
  const until = "2026-03-10T12:01:00Z";
  const belongings = (most: number) =>
    value(`select reassign_other_rows_to_erased_user(1, 1, ${number}, '${until}', ${most})`);
  expect([await belongings(1), await belongings(1)]).toEqual([true, true]);
  expect(await column("select count(*)::int from notes")).toEqual([1]);
  expect(await value("select anonymize_staff_work_at_university(1, 1, 1)")).toBe(false);
  expect([await belongings(2), await belongings(2), await belongings(2)]).toEqual([true, true, false]);
  expect(await column("select day::text from activity_days where user_id = 1 order by 1")).toEqual([
    "2026-03-11",
    "2026-03-12",
  ]);
  await rows(`update users set created_at = '${at}' where id = ${number}`);
  expect(await value(`select process_next_university_erasure_step('${at}', 100, null)`)).toBe(false);
});

it("anonymize_staff_work_at_university removes the person from their invitations there, up to so many, and from no others", async () => {
  const other = await addUniversity();
  await rows(`insert into invitations (university_id, email, role, invited_by_user_id, expires_at, created_at)
    select university, email, 'student', inviter, '2026-04-01', '2026-03-01'
    from (values (1, 'a@example.edu', 1), (1, 'b@example.edu', 1), (1, 'c@example.edu', 2),
      (${other}, 'd@example.edu', 1)) as one (university, email, inviter)`);
  const step = () => value("select anonymize_staff_work_at_university(1, 1, 1)");
  const inviters = () => column("select invited_by_user_id from invitations order by email");
  expect(await step()).toBe(true);
  expect((await inviters()).filter((one) => one === null)).toHaveLength(1);
  expect([await step(), await step()]).toEqual([true, false]);
  expect(await inviters()).toEqual([null, null, 2, 1]);
});

const work = (count: number, person = 1) =>
  rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number, status)
    select ${person}, 1, 1, n, 'submitted' from generate_series(1, ${count}) as n`);
const leftOf = (person: unknown) =>
  value(`select count(*)::int from lab_submissions where user_id = ${person}`);

it("process_next_university_erasure_step erases work that is not graded in steps, once all of it is on the number", async () => {
  const id = await ask("erase");
  await decide(id, 3);
  await rows(
    `update content_items set content_type_id = (select id from content_types where name = 'engineering_lab')`,
  );
  await work(5);
  await rows(`select process_next_university_erasure_step('${at}', 100, null)`);
  const number = await value(`select erased_user_id from data_requests where id = ${id}`);
  const steps: unknown[] = [];
  while (await value(`select process_next_university_erasure_step('${at}', 2, null)`))
    steps.push(await leftOf(number));
  expect(steps.slice(0, 5)).toEqual([2, 4, 3, 1, 0]);
  expect([await leftOf(1), await leftOf(number)]).toEqual([0, 0]);
});

it("leftovers take no code of graded work whose rows are still being put onto the number", async () => {
  const id = await ask("erase");
  await decide(id, 3);
  await rows(`update content_items set data_json = '{"anonymous": true}',
    content_type_id = (select id from content_types where name = 'engineering_lab')`);
  await rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number, status, score_obtained, max_score)
    values (1, 1, 1, 1, 'graded', 5, 10)`);
  await rows(`select process_next_university_erasure_step('${at}', 100, null)`);
  const number = await value(`select erased_user_id from data_requests where id = ${id}`);
  // Only the code: the step ends before its work.
  expect(await value(`select reassign_results_to_erased_user(1, 1, ${number}, null, 1)`)).toBe(1);
  const owners = () => column("select user_id from anonymous_codes");
  expect(await owners()).toEqual([number]);
  await rows(eraseLeftoversQuery(sql.raw(String(number)), at));
  expect(await owners()).toEqual([number]);
  const step = (moment: string) =>
    value(`select process_next_university_erasure_step('${moment}', 100, null)`);
  while (await step(at));
  while (await step("2026-03-10T13:00:00Z"));
  await rows(eraseLeftoversQuery(sql.raw(String(number)), "2026-03-10T13:00:00Z"));
  expect(await owners()).toEqual([number]);
  expect(await value(`select anonymous_code(1, 1, ${number}) is not null`)).toBe(true);
});

it("reassign_results_to_erased_user deletes what was written a second time beside the erasure, so that its steps go on", async () => {
  const id = await ask("erase");
  await decide(id, 3);
  const write = () =>
    rows(`
      with progress as (
        insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent) values (1, 1, 1, 50)
        returning id
      ), read as (
        insert into auto_grader_readers (course_offering_id, content_item_id, user_id, secret_version, read_at)
        values (1, 1, 1, 1, '${at}') returning id
      )
      insert into course_reviews (user_id, course_offering_id, rating) values (1, 1, 5)`);
  await write();
  await rows(`select process_next_university_erasure_step('${at}', 100, null)`);
  const number = await value(`select erased_user_id from data_requests where id = ${id}`);
  const step = () => value(`select process_next_university_erasure_step('${at}', 100, null)`);
  while (await step());
  await write();
  await rows("update auto_grader_readers set secret_version = 2 where user_id = 1");
  while (await step());
  for (const table of [
    "user_content_progress",
    "user_module_progress",
    "course_reviews",
    "auto_grader_readers",
  ])
    expect(await column(`select distinct user_id from ${table}`)).toEqual([number]);
  expect(await column("select secret_version from auto_grader_readers")).toEqual([2]);
  // With a seat there it belongs to their new start.
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  await write();
  await rows(`select reassign_results_to_erased_user(1, 1, ${number}, null, 10)`);
  expect(await value("select count(*)::int from user_content_progress where user_id = 1")).toBe(1);
  expect(await step()).toBe(false);
});

it("reassign_other_rows_to_erased_user puts the tries of who comes back within the minute behind those that the number has", async () => {
  const id = await ask("erase");
  await decide(id, 3);
  await rows(`insert into tutor_questions (id, content_item_id, question_hash, question, question_key)
    overriding system value values (1, 1, repeat('a', 64), '{}', '{}')`);
  const answer = (...tries: number[]) =>
    rows(`insert into tutor_steps (user_id, content_item_id, question_id, question_hash, choice, try_number, hints)
      select 1, 1, 1, repeat('a', 64), 'A', unnest(array[${tries}]), 0`);
  const step = (most = 100) => value(`select process_next_university_erasure_step('${at}', ${most}, null)`);
  await answer(1, 2, 3);
  await step();
  // One after the other they keep their numbers.
  while (await step(2));
  const number = await value(`select erased_user_id from data_requests where id = ${id}`);
  const tries = () => rows("select user_id, try_number from tutor_steps order by id");
  const moved = (...numbers: number[]) => numbers.map((try_number) => ({ user_id: number, try_number }));
  expect(await tries()).toEqual(moved(1, 2, 3));
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  await answer(1, 2);
  while (await step(1));
  expect(await tries()).toEqual(moved(1, 2, 3, 4, 5));
});

it("reassign_other_rows_to_erased_user takes a report of the same post that is made again within the minute, too", async () => {
  const id = await ask("erase");
  await decide(id, 3);
  await rows(
    "insert into discussion_threads (id, course_offering_id, title) overriding system value values (1, 1, 'T')",
  );
  await rows(`insert into discussion_posts (id, thread_id, user_id, body) overriding system value
    values (101, 1, 2, 'First'), (102, 1, 2, 'Second')`);
  const report = (post: number) =>
    rows(
      `insert into discussion_reports (post_id, course_offering_id, user_id, reason) values (${post}, 1, 1, 'Unkind')`,
    );
  const step = () => value(`select process_next_university_erasure_step('${at}', 1, null)`);
  await report(101);
  await report(102);
  while (await step());
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  await report(101);
  await report(102);
  while (await step());
  expect(await value("select count(*)::int from discussion_reports")).toBe(0);
});

it("reassign_erased_results_before_enrollment moves no more than 5000 rows, and gives the place when the steps are through", async () => {
  const id = await ask("erase");
  await decide(id, 3);
  await rows(`select process_next_university_erasure_step('${at}', 100, null)`);
  await rows("set local session_replication_role = replica");
  await rows(`insert into grade_changes (kind, user_id, course_offering_id, content_item_id, changed_at)
    select 'item_set', 1, 1, 1, '${at}' from generate_series(0, 5000)`);
  await rows("set local session_replication_role = origin");
  const number = await value(`select erased_user_id from data_requests where id = ${id}`);
  await rows("savepoint before");
  await expect(
    rows("insert into enrollments (user_id, course_offering_id) values (1, 1)"),
  ).rejects.toMatchObject({
    code: "55P03",
  });
  await rows("rollback to savepoint before");
  expect(await value(`select reassign_results_to_erased_user(1, 1, ${number}, null, 2)`)).toBe(2);
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  expect(await value("select count(*)::int from grade_changes where user_id = 1")).toBe(0);
});

it("reassign_erased_results_before_enrollment empties an offering before the person has a place in it again", async () => {
  const id = await ask("erase");
  await decide(id, 3);
  await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent)
    values (1, 1, 1, 50)`);
  await rows(`select process_next_university_erasure_step('${at}', 100, null)`);
  const number = await value(`select erased_user_id from data_requests where id = ${id}`);
  const owners = () => column("select user_id from user_content_progress");
  expect(await owners()).toEqual([1]);
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1)");
  expect(await owners()).toEqual([number]);
  await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent)
    values (1, 1, 1, 10)`);
  await rows(`select process_next_university_erasure_step('${at}', 100, null)`);
  expect(await column("select user_id from user_content_progress order by progress_percent")).toEqual([
    1,
    number,
  ]);
});
