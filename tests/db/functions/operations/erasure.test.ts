import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { eraseLeftoversQuery } from "../../../../lib/operations/personal-data/erase-leftovers.ts";
import { openSession } from "../session.ts";

const { rows, value, column, refusal, rowsReadOf } = openSession();

const moment = "2026-03-10T12:00:00Z";

/* Ada takes course 1, with a quiz as its third item; ids begin at 1. */
beforeEach(async () => {
  await rows(
    `insert into enrollments (user_id, course_offering_id, enrolled_at) values (1, 1, '2026-03-01')`,
  );
  await rows(`insert into content_items (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
    select 2, 1, 1, id, 'Quiz', 3, '{"quiz_mode": "exam"}' from content_types where name = 'quiz'`);
});

const attempt = (more: string) =>
  rows(`insert into quiz_attempts (user_id, course_offering_id, content_item_id, started_at, ${more.split("=")[0]})
    select 1, 1, id, '2026-03-10T11:00Z', ${more.split("=")[1]} from content_items where title = 'Quiz'`);

it("close_open_attempts_for_erasure submits limited attempts, as of their end or of now, and deletes others", async () => {
  await attempt("due_at='2026-03-10T13:00Z'");
  await rows(`select close_open_attempts_for_erasure(1, '${moment}')`);
  expect(
    await rows(
      "select submitted_at = '2026-03-10T12:00Z' as now, timed_out, awaits_grading from quiz_attempts",
    ),
  ).toEqual([{ now: true, timed_out: false, awaits_grading: true }]);

  await rows("delete from quiz_attempts");
  await attempt("due_at='2026-03-10T11:30Z'");
  await rows(`select close_open_attempts_for_erasure(1, '${moment}')`);
  expect(
    await rows("select submitted_at = due_at as at_its_end, timed_out, awaits_grading from quiz_attempts"),
  ).toEqual([{ at_its_end: true, timed_out: true, awaits_grading: true }]);

  await rows("delete from quiz_attempts");
  await rows(`update content_items set data_json = '{"quiz_mode": "practice"}' where title = 'Quiz'`);
  await attempt("due_at='2026-03-10T13:00Z'");
  await rows(`select close_open_attempts_for_erasure(1, '${moment}')`);
  expect(await rows("select from quiz_attempts")).toEqual([]);
});

it("anonymize_staff_work removes a person's name from acts as staff", async () => {
  await rows(`insert into announcements (university_id, title, body, created_by_user_id, published_at)
    values (1, 'News', 'The lab moves', 2, now())`);
  await rows("select anonymize_staff_work(2)");
  expect(await rows("select created_by_user_id, body from announcements")).toEqual([
    { created_by_user_id: null, body: "The lab moves" },
  ]);
});

it("erase_personal_data_keeping_statistics leaves graded work and stars, and what the rest counted for", async () => {
  await rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number, status, body)
    values (1, 1, 1, 1, 'graded', 'Graded'), (1, 1, 1, 2, 'submitted', 'Not yet')`);
  await rows(
    "insert into course_reviews (user_id, course_offering_id, rating, review_text) values (1, 1, 4, 'Fine')",
  );
  await rows("insert into notes (user_id, content_item_id, body) values (1, 1, 'Mine')");
  const totals = () =>
    column(
      "select measure || ' ' || sum(amount) from personal_totals where user_id = 1 group by measure order by 1",
    );
  expect(await totals()).toContain("notes 1");
  await rows("select erase_personal_data_keeping_statistics(1, 10)");
  expect(await totals()).not.toContain("notes 1");
  expect(await column("select body from lab_submissions")).toEqual(["Graded"]);
  expect(await rows("select rating, review_text from course_reviews")).toEqual([
    { rating: 4, review_text: null },
  ]);
  const kept = await column("select measure from report_totals where is_kept order by 1");
  expect(kept).toEqual(expect.arrayContaining(["notes"]));
  expect(kept).not.toContain("course_reviews");
  expect(kept).not.toContain("labs_graded");
});

it("erase_personal_data_keeping_statistics keeps the anonymous codes of graded work and quiz attempts only", async () => {
  await attempt("submitted_at='2026-03-10T11:30Z'");
  await rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number, status)
    values (1, 1, 1, 1, 'graded'), (1, 1, 2, 1, 'submitted')`);
  await rows("select ensure_anonymous_code(1, id, 1), ensure_anonymous_code(1, id, 2) from content_items");
  await rows("select erase_personal_data_keeping_statistics(1, 10)");
  const codes = (person: number) =>
    column(`select item.title from anonymous_codes as one join content_items as item on item.id = one.content_item_id
      where one.user_id = ${person} order by item.id`);
  expect(await codes(1)).toEqual(["How a carry ripples", "Quiz"]);
  expect(await codes(2)).toEqual(["How a carry ripples", "Why it waits", "Quiz"]);
});

it("erase_personal_data_keeping_statistics leaves results of packages, without what they stored", async () => {
  const state = (more: string) =>
    `{"seconds": 60, "session_seconds": 5, "completed": true, "passed": true, "scaled": 0.8${more}}`;
  await rows(`insert into scorm_attempts (user_id, course_offering_id, content_item_id, attempt_number, session_id, score_scaled, scos, sequencing)
    values (1, 1, 1, 1, 's', 0.8, '{"a": ${state(', "cmi": {"suspend_data": "My notes"}')}, "b": ${state("")}}', '{"next": null, "state": "Mine"}'),
      (1, 1, 1, 2, 's', null, '{}', null)`);
  await rows("select erase_personal_data_keeping_statistics(1, 10)");
  const kept = JSON.parse(state(""));
  expect(
    await rows(
      "select scos, sequencing, score_scaled::float8 as score from scorm_attempts order by attempt_number",
    ),
  ).toEqual([
    { scos: { a: kept, b: kept }, sequencing: null, score: 0.8 },
    { scos: {}, sequencing: null, score: null },
  ]);
});

it("count_free_seats counts nobody who erased their account, and their enrollment is as it was", async () => {
  const free = () => value("select count_free_seats(run) from course_offerings as run where id = 1");
  expect(await free()).toBe(0);
  await rows(
    "insert into enrollments (user_id, course_offering_id, status, enrolled_at) values (2, 1, 'waitlisted', '2026-03-02')",
  );
  expect(await value(`select erase_account(1, 0, false, '{"at": "${moment}"}')`)).toBe(true);
  expect(await rows("select user_id, status from enrollments order by user_id")).toEqual([
    { user_id: 1, status: "active" },
    { user_id: 2, status: "active" },
  ]);
  expect(await free()).toBe(0);
});

it("leftovers are what was just being written", async () => {
  await rows(`select erase_account(1, 0, false, '{"at": "${moment}"}')`);
  await rows("insert into notes (user_id, content_item_id, body) values (1, 1, 'Late')");
  await attempt("due_at='2026-03-10T13:00Z'");
  await rows(eraseLeftoversQuery(sql`1`, moment));
  expect(await rows("select from notes")).toEqual([]);
  expect(await column("select submitted_at is null from quiz_attempts")).toEqual([false]);
});

it("process_next_account_erasure_step does a part of the account's remaining work, which is more than a thousand", async () => {
  await rows(
    `update content_items set content_type_id = (select id from content_types where name = 'engineering_lab')`,
  );
  await rows("set local session_replication_role = replica");
  await rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number, status)
    select 1, 1, 1, n, 'submitted' from generate_series(1, 1003) as n`);
  await rows("set local session_replication_role = origin");
  await rows(`select erase_account(1, 0, false, '{"at": "${moment}"}')`);
  const left = () => value("select count(*)::int from lab_submissions");
  expect(await left()).toBe(3);
  const erase = () => value(`select process_next_account_erasure_step('${moment}', 2)`);
  expect([await erase(), await left()]).toEqual([true, 1]);
  expect([await erase(), await left()]).toEqual([true, 0]);
  expect([await erase(), await left()]).toEqual([false, 0]);
});

describe("process_next_account_erasure_step", () => {
  const later = "2026-03-10T14:00Z";
  const step = (at: string = moment) => value(`select process_next_account_erasure_step('${at}', 2)`);
  const talks = () => column("select user_id || ' ' || content_item_id from chat_sessions order by 1");
  const close = () => value(`select erase_account(1, 0, false, '{"at": "${moment}"}')`);

  beforeEach(() =>
    rows(`insert into chat_sessions
        (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, share_enabled, share_token)
      select person, item, '{}', 'content', 'content', number = 1 and person = 1, case when number = 1 and person = 1 then 'shared' || item end
      from (values (1, 1, 3), (1, 2, 1), (2, 1, 1)) as talk (person, item, times), generate_series(1, times) as number`),
  );

  it("erases so many of one person about one item, and no others", async () => {
    expect(await step()).toBe(false);
    expect(await close()).toBe(true);
    expect(await talks()).toHaveLength(5);
    expect(await rows("select from chat_sessions where share_enabled or share_token is not null")).toEqual(
      [],
    );
    expect([await step(), await talks()]).toEqual([true, ["1 1", "1 2", "2 1"]]);
    expect([await step(), await talks()]).toEqual([true, ["1 2", "2 1"]]);
    expect([await step(), await talks()]).toEqual([true, ["2 1"]]);
    expect([await step(), await talks()]).toEqual([false, ["2 1"]]);
  });

  it("ends an erasure when nothing is left and no request can be running, and audits it then", async () => {
    const ends = () =>
      rows("select occurred_at, details from audit_events where action = 'account.erasure_ended'");
    await close();
    while (await step());
    expect([await ends(), await column("select user_id from erasures")]).toEqual([[], [1]]);
    await rows(`insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
      values (1, 1, '{}', 'content', 'content')`);
    while (await step(later));
    expect([await talks(), await rows("select from erasures")]).toEqual([["2 1"], []]);
    expect(await ends()).toEqual([{ occurred_at: new Date(later), details: { user_id: 1 } }]);
    expect(await step(later)).toBe(false);
  });

  it("reads no more stored answers than the person has seen", async () => {
    await rows(`insert into cache_nodes (content_item_id, message, prompt_name, prompt_version, model,
        prompt_fingerprint, content_fingerprint, chunks)
      select 1, 'Said ' || number, 'p', 1, 'm', 'p', 'c', '["Yes"]'
      from generate_series(1, 3000) as number`);
    await rows(`insert into chat_messages (session_id, role, content, cache_node_id)
      select min(chat_sessions.id), 'assistant', 'Yes', (select min(id) from cache_nodes) from chat_sessions where user_id = 1`);
    await rows("analyze cache_nodes");
    await close();
    const before = await rowsReadOf("cache_nodes");
    while (await step());
    expect((await rowsReadOf("cache_nodes")) - before).toBeLessThan(50);
  });
});

describe("free text on the way to a pin", () => {
  const words = JSON.stringify({ answer: "My name is Ada", questionId: "who" });
  const path = (...messages: string[]) => `'${JSON.stringify(messages)}'`;
  const pin = (item: number, messages: string) =>
    rows(`insert into answer_pins (content_item_id, path, path_hash, asked_hash, answer)
      values (${item}, ${messages}, 'hash', '', 'By hand')`);
  const change = (messages: string, removed = "[]") =>
    rows(`insert into tree_changes (content_item_id, action, node_id, path, asked_hash, former, removed)
      values (1, 'replaced', 1, ${messages}, '', '{}', '${removed}')`);
  const say = (person: number, content: string) =>
    rows(`with talk as (
        insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
        values (${person}, 1, '{}', 'content', 'content') returning id)
      insert into chat_messages (session_id, role, content) select id, 'user', '${content}' from talk`);
  const own = (person = 1) => value(`select path_messages_only_sent_by_person(${person}, array[1, 2])`);

  /** Ada typed her name although the tutor offered no option; item 2 is a copy of item 1. */
  beforeEach(async () => {
    await rows("update content_items set origin_item_id = 1 where id = 2");
    await say(1, ' {"questionId": "who ", "answer": " My name is Ada\\n"}');
  });

  it("is found in every spelling, in copies too, and in undo data", async () => {
    expect(await column("select item_and_its_copies(1) order by 1")).toEqual([1, 2]);
    expect(await own()).toEqual([]);
    await pin(2, path("Start.", words));
    expect(await own()).toEqual([words]);
    expect(await own(2)).toEqual([]);
    await rows("delete from answer_pins");
    await change(path("Start."), JSON.stringify([{ message: words }]));
    expect(await own()).toEqual([words]);
  });

  it("is compared by question and answer, and as a whole if it is no JSON that the database reads", async () => {
    const same = (one: string, other: string) =>
      value(`select normalize_path_message('${one}') = normalize_path_message('${other}')`);
    expect(await same(words, '{"questionId":"who", "answer":"My\u00a0name is Ada", "more": 1}')).toBe(true);
    expect(await same(words, '{"questionId":"who","answer":"My name is Ben"}')).toBe(false);
    expect(await same('{"answer":"\\u0000"}', '{"answer": "\\u0000"}')).toBe(true);
    expect(await same("Start.", "Start. ")).toBe(true);
  });

  it.each([
    [
      "the tutor offered it to them",
      `update chat_messages set question = '{"questionId": "who", "options": [{"id": "My name is Ada"}]}'`,
    ],
    [
      "an answer of the topic offers it",
      `insert into cache_nodes (content_item_id, message, prompt_name, prompt_version, model,
         prompt_fingerprint, content_fingerprint, chunks, choices)
       values (1, 'Start.', 'p', 1, 'm', 'p', 'c', '["Hi"]', jsonb_build_object('${words}', 'x'))`,
    ],
  ])("is no word of one's own where %s", async (_, statement) => {
    await pin(1, path("Start.", words));
    await rows(statement);
    expect(await own()).toEqual([]);
  });

  it("is the class's if another learner typed it too, until they erase their account as well", async () => {
    await pin(1, path("Start.", words));
    await say(2, words);
    expect([await own(), await own(2)]).toEqual([[], []]);
    await rows("delete from chat_sessions where user_id = 1");
    expect(await own(2)).toEqual([words]);
  });

  it("is deleted with the account, with the pin and the change, and nothing else", async () => {
    const chosen = JSON.stringify({ answer: "A", questionId: "q1" });
    await pin(1, path("Start.", words, chosen));
    await pin(2, path("Start.", chosen));
    await change(path("Start.", words));
    await change(path("Start."), JSON.stringify([{ message: words }]));
    await value(`select erase_account(1, 0, false, '{"at": "${moment}"}')`);
    const erase = () => value(`select process_next_account_erasure_step('${moment}', 2)`);
    const talks = () => column("select count(*)::int from chat_sessions");
    // The paths are a step before the conversations.
    expect([await talks(), await erase(), await talks()]).toEqual([[1], true, [1]]);
    while (await erase());
    expect(await talks()).toEqual([0]);
    expect(await column("select path from answer_pins")).toEqual([["Start.", chosen]]);
    expect(await rows("select path, removed from tree_changes")).toEqual([
      { path: ["Start."], removed: null },
    ]);
  });
});

it("erase_account notes by what find_and_store_former_accounts finds again, each with those of before", async () => {
  const key = `'\\x${"00".repeat(128)}'::bytea`;
  const find = (person: number) => value(`select find_and_store_former_accounts(${person}, ${key})`);
  await rows("insert into user_identities (user_id, provider, subject) values (1, 'campus', 'a')");
  await rows("insert into sourced_people (university_id, sourced_id, user_id) values (1, 's-1', 1)");
  expect(
    await column(`select university_id from hashed_identifiers_of_account(1, ${key}) order by 1`),
  ).toEqual([1, null, null]);
  expect(await column("select identifier from hashed_identifiers_of_account(1, null)")).toEqual(["s-1"]);
  expect(
    await value(`select count(distinct identifier)::int from (
      select identifier from hashed_identifiers_of_account(1, ${key}) union all select identifier from hashed_identifiers_of_account(2, ${key})) as one`),
    "four, of which none is another's",
  ).toBe(4);
  expect(await find(2), "while nobody is erased").toBe(2);
  await rows(`select erase_account(1, 0, false, '{"at": "${moment}"}', ${key})`);
  await rows(
    "delete from sourced_people; insert into sourced_people (university_id, sourced_id, user_id) values (1, 's-1', 2)",
  );
  expect(await find(2)).toBe(2);
  expect(await find(2)).toBe(2);
  expect(await value("select current_and_former_account_ids(2)")).toEqual([2, 1]);
  await rows(`select erase_account(2, 0, false, '{"at": "${moment}"}', ${key})`);
  await rows(
    "delete from sourced_people; insert into sourced_people (university_id, sourced_id, user_id) values (1, 's-1', 3)",
  );
  expect(await find(3)).toBe(3);
  expect(await value("select current_and_former_account_ids(3)")).toEqual([3, 1, 2]);
  expect(await value("select current_and_former_account_ids(1)")).toEqual([1]);
});

/**
 * Tables whose rows keep the number of an erased account, or are deleted with another of the person's rows.
 */
const staying = [
  ...["activity_events", "course_grades", "course_reviews", "enrollments", "grade_changes", "item_grades"],
  ...["lab_submissions", "quiz_attempts", "scorm_attempts", "user_content_progress", "user_module_progress"],
  ...["erased_identifiers", "former_accounts"],
  // They still know the secret.
  "auto_grader_readers",
  // Retention holds stay.
  "retention_holds",
  // Until the erasure has ended.
  "erasures",
  // Deleted with the members.
  "user_university_roles",
];

it("an erasure knows every table that refers to people", async () => {
  const references = await rows(`
    select conrelid::regclass::text as "table", attname as "column" from pg_constraint
    join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confrelid = 'users'::regclass order by 1, 2`);
  expect(references.length).toBeGreaterThan(40);
  const sources =
    await column(`select prosrc from pg_proc where proname in ('erase_account', 'erase_personal_data_keeping_statistics',
    'anonymize_staff_work', 'process_next_account_erasure_step', 'erase_files_of_person', 'delete_tutor_steps_keeping_counts')`);
  const text = sources.join("\n");
  const unknown = references.filter(({ table, column: of }) => {
    const isChanged = new RegExp(`(delete from|update) ${table}( as one)?\\b[^;]*\\b${of} = `).test(text);
    return !isChanged && !(of === "user_id" && staying.includes(String(table)));
  });
  // A key has no effect until another administrator adopts it. A picture is deleted with its file. Steps are
  // found by their person and folded by id (tutor-steps.test.ts). A number is no person.
  expect(unknown).toEqual([
    { table: "api_keys", column: "maker_id" },
    { table: "data_requests", column: "erased_user_id" },
    { table: "file_uses", column: "avatar_user_id" },
    { table: "former_accounts", column: "former_user_id" },
    { table: "tutor_steps", column: "user_id" },
  ]);
});

it("lock_and_refuse_last_administrator of a university is true or raises", async () => {
  const ask = "select lock_and_refuse_last_administrator(1, 1)";
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'university_admin')",
  );
  expect((await refusal(ask)).constraint).toBe("last_administrator");
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (2, 1, 'university_admin')",
  );
  expect(await value(ask)).toBe(true);
  await rows("update users set is_active = false where id = 2");
  expect((await refusal(ask)).constraint).toBe("last_administrator");
});

it("lock_and_refuse_last_administrator rejects a removal until there is another", async () => {
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'university_admin')",
  );
  expect((await refusal("select lock_and_refuse_last_administrator(1)")).constraint).toBe(
    "last_administrator",
  );
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (2, 1, 'university_admin')",
  );
  await rows("select lock_and_refuse_last_administrator(1)");
  await rows("select lock_and_refuse_last_administrator(3)");
});
