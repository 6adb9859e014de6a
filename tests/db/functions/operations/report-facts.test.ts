import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, sumsOf } = openSession();

/** The rows of a view with a moment and an amount, by measure. */
const factsOf = (view: string, condition = "true") =>
  rows(`select measure, course_id, utc_day(moment)::text as day, utc_day(since)::text as since, amount::float8
    from ${view} where moment is not null and amount <> 0 and ${condition} order by 1`);

describe("learning_facts", () => {
  const ofAda = (measure: string) => factsOf("learning_facts", `measure = '${measure}' and user_id = 1`);

  it("are people by the day on which they came", async () => {
    expect(await ofAda("signups")).toEqual([
      { measure: "signups", course_id: null, day: "2026-03-01", since: null, amount: 1 },
    ]);
  });

  it("are drops by their day", async () => {
    await rows(
      "insert into enrollments (user_id, course_offering_id, status, dropped_at) values (1, 1, 'dropped', '2026-03-04')",
    );
    expect(await ofAda("drops")).toEqual([
      { measure: "drops", course_id: 1, day: "2026-03-04", since: null, amount: 1 },
    ]);
  });

  it("are topics by the day of their begin, and of their completion since then", async () => {
    await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, first_started_at, completed_at)
      values (1, 1, 1, '2026-03-02', '2026-03-03'), (1, 1, 2, '2026-03-04', null)`);
    expect(await ofAda("topics_completed")).toEqual([
      { measure: "topics_completed", course_id: 1, day: "2026-03-03", since: "2026-03-02", amount: 1 },
    ]);
    expect((await ofAda("topics_started")).map(({ day }) => day).sort()).toEqual([
      "2026-03-02",
      "2026-03-04",
    ]);
  });
});

describe("assessment_facts", () => {
  it("are quizzes once they are submitted, with their score as a part of the possible", async () => {
    await rows(`insert into quiz_attempts (user_id, course_offering_id, content_item_id, submitted_at, passed, score_obtained, max_score)
      values (1, 1, 1, '2026-03-02', true, 3, 4), (2, 1, 1, null, null, null, null), (3, 1, 1, '2026-03-02', null, 3, 0)`);
    const facts = await factsOf("assessment_facts", "user_id = 1");
    expect(facts.map(({ measure, day, amount }) => [measure, day, amount])).toEqual([
      ["quiz_scores", "2026-03-02", 0.75],
      ["quizzes_passed", "2026-03-02", 1],
      ["quizzes_scored", "2026-03-02", 1],
      ["quizzes_submitted", "2026-03-02", 1],
    ]);
    expect(await factsOf("assessment_facts", "user_id = 2")).toEqual([]);
    expect(await factsOf("assessment_facts", "user_id = 3")).toMatchObject([
      { measure: "quizzes_submitted" },
    ]);
  });

  it("are labs and assignments, each separately, graded or not", async () => {
    for (const [item, type] of [
      [1, "engineering_lab"],
      [2, "assignment"],
    ])
      await rows(`update content_items set content_type_id = (select id from content_types where name = '${type}')
        where id = ${item}`);
    await rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, submitted_at, status, score_obtained, max_score)
      values (1, 1, 1, '2026-03-02', 'graded', 1, 2), (2, 1, 1, '2026-03-02', 'submitted', null, null),
             (1, 1, 2, '2026-03-02', 'graded', 4, 4), (2, 1, 2, '2026-03-02', 'graded', 3, 4),
             (3, 1, 2, '2026-03-02', 'returned', null, null)`);
    expect(await sumsOf("assessment_facts")).toEqual({
      ...{ lab_scores: 0.5, labs_graded: 1, labs_scored: 1, labs_submitted: 2 },
      ...{ assignment_scores: 1.75, assignments_graded: 2, assignments_scored: 2, assignments_submitted: 3 },
    });
  });

  it("are certificates, without replacements", async () => {
    await rows(`insert into certificates (id, user_id, course_offering_id, certificate_code, issued_at, revoked_at,
        revocation_reason, replaced_at, replaces_id, printed_name, course_title, university_name)
      overriding system value values
        (1, 1, 1, 'a', '2026-03-05', '2026-03-06', 'Copied', '2026-03-07', null, 'Ada', 'Course', 'College'),
        (2, 1, 1, 'b', '2026-03-07', null, null, null, 1, 'Ada', 'Course', 'College')`);
    expect((await factsOf("assessment_facts")).map(({ measure, day }) => [measure, day])).toEqual([
      ["certificates_issued", "2026-03-05"],
      ["certificates_revoked", "2026-03-06"],
    ]);
  });
});

describe("of conversations", () => {
  /* A conversation of two minutes with one answer from the tree and one from the model. */
  beforeEach(async () => {
    await rows(`insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, created_at)
      overriding system value values (1, 1, 1, '{}', 'content', 'content', '2026-03-01T09:59Z'), (2, 1, 1, '{}', 'content', 'content', '2026-03-01')`);
    await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at) values
      (1, 'user', 'Start.', '{}', false, '2026-03-01T10:00Z'),
      (1, 'assistant', 'Hello.', '{"source": "cache"}', true, '2026-03-01T10:00Z'),
      (1, 'assistant', 'Yes.', '{"source": "llm"}', true, '2026-03-02T00:02Z')`);
  });

  it("conversation_facts are those with messages, from the first to the last", async () => {
    expect(await factsOf("conversation_facts")).toMatchObject([
      { measure: "conversation_milliseconds", course_id: 1, day: "2026-03-01", amount: 50_520_000 },
      { measure: "conversations", course_id: 1, day: "2026-03-01", amount: 1 },
    ]);
    await rows("update chat_sessions set cache_state = 'diverged'");
    expect(await sumsOf("conversation_facts")).toMatchObject({ conversations: 1, divergences: 2 });
  });

  it("answer_facts are shared answers, given, missed or waited for, by the day of each", async () => {
    await rows(`insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at) values
      (1, 'assistant', 'Yes.', '{"source": "llm", "joined": true}', true, '2026-03-02'),
      (1, 'assistant', 'Alone.', '{"source": "llm"}', false, '2026-03-02')`);
    expect((await factsOf("answer_facts")).map(({ measure, day }) => [measure, day])).toEqual([
      ["hits", "2026-03-01"],
      ["joined", "2026-03-02"],
      ["misses", "2026-03-02"],
      ["misses", "2026-03-02"],
    ]);
  });
});
