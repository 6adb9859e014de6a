import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

/** Ada shares her results with the tutor. The first item of her offering is a quiz of two questions. */
beforeEach(async () => {
  await rows("update users set tutor_sees_results = true where id = 1");
  await rows(
    "insert into question_pools (id, university_id, title) overriding system value values (1, 1, 'Engines')",
  );
  await rows(`insert into questions (id, question_pool_id, kind, question_text, options_json, answer_json)
    overriding system value values
    (1, 1, 'single_choice', 'Which?', '[{"id": "A", "text": "a"}, {"id": "B", "text": "b"}]', '{"option_id": "A"}'),
    (2, 1, 'true_false', 'True?', null, '{"value": true}')`);
  await quiz({});
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1), (2, 1)");
});

const quiz = (data: object) =>
  rows(`update content_items set content_type_id = (select id from content_types where name = 'quiz'),
    data_json = '${JSON.stringify({ question_pool_id: 1, ...data })}' where id = 1`);

const told = (person = 1) => value(`select learner_results_for_tutor(1, ${person}, '2026-03-01 13:00Z')`);

/** An attempt in which the first question was answered wrong, and the second right. */
async function attempted({ person = 1, number = 1, graded = true, exam = false } = {}) {
  const id = Number(
    await value(`insert into quiz_attempts (user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at,
        submitted_at, awaits_grading, score_obtained, max_score, passed, raw_response_json)
      values (${person}, 1, 1, ${number}, ${exam}, '2026-03-01 12:00Z', '2026-03-01 12:10Z', ${!graded},
        ${graded ? "1, 2, false" : "null, null, null"}, '{"1": "B", "2": true}') returning id`),
  );
  await rows(`insert into quiz_attempt_questions
    (quiz_attempt_id, position, question_id, version, option_ids, graded_version, points_earned)
    values (${id}, 1, 1, 1, '{A,B}', 1, 0), (${id}, 2, 2, 1, null, 1, 1)`);
  return id;
}

const missed = {
  question: "Which?",
  options: [
    { id: "A", text: "a" },
    { id: "B", text: "b" },
  ],
  response: "B",
};

describe("learner_results_for_tutor", () => {
  it("has attempts, with wrong answers if they are shown, and never a key", async () => {
    await attempted();
    expect(await told()).toEqual({
      attempts: [{ number: 1, state: "graded", score: 1, most: 2, passed: false, missed: [missed] }],
    });
    expect(JSON.stringify(await told())).not.toContain("option_id");
  });

  it.each([
    ["the quiz never shows its answers", { show_answers: "never" }],
    ["it shows them after the due date", { show_answers: "after_due" }],
    ["they would help in another attempt that counts", { max_attempts: 2, show_answers: "after_due" }],
  ])("has only a score if %s", async (_, data) => {
    await attempted();
    await quiz(data);
    expect(await told()).toEqual({
      attempts: [{ number: 1, state: "graded", score: 1, most: 2, passed: false }],
    });
  });

  it("shows only the status of an open or ungraded attempt, and has the newest three", async () => {
    for (const number of [1, 2, 3]) await attempted({ number, graded: number < 3 });
    await rows(`insert into quiz_attempts (user_id, course_offering_id, content_item_id, attempt_number, started_at)
      values (1, 1, 1, 4, '2026-03-01 12:30Z')`);
    expect(await told()).toMatchObject({
      attempts: [{ number: 2 }, { number: 3, state: "closed" }, { number: 4, state: "open" }],
    });
    expect(((await told()) as { attempts: object[] }).attempts.slice(1)).toEqual([
      { number: 3, state: "closed" },
      { number: 4, state: "open" },
    ]);
  });

  it("has work, with its score once released", async () => {
    await rows(`insert into lab_submissions
      (user_id, course_offering_id, content_item_id, attempt_number, status, score_obtained, max_score)
      values (1, 1, 1, 1, 'returned', null, null), (1, 1, 1, 2, 'graded', 8, 10)`);
    await rows("delete from grading_schemes");
    expect(await told()).toEqual({
      work: [
        { number: 1, state: "returned" },
        { number: 2, state: "graded" },
      ],
    });
    await rows(
      "insert into grade_releases (course_offering_id, content_item_id, released_at) values (1, 1, now())",
    );
    expect(await told()).toEqual({
      work: [
        { number: 1, state: "returned" },
        { number: 2, state: "graded", score: 8, most: 10 },
      ],
    });
  });

  it("has steps: the questions answered correctly at first, and those still wrong, without keys", async () => {
    await rows(`insert into tutor_questions (id, content_item_id, question_hash, question, question_key)
      overriding system value select n, 1, repeat(n::text, 64), jsonb_build_object(
        'questionId', 'q' || n, 'question', 'Question ' || n, 'options', '[{"id": "A", "text": "a"}, {"id": "B", "text": "b"}]'::jsonb),
        '{"answer": "A", "misconceptions": [], "skill": null}' from generate_series(1, 5) as n`);
    // The first is right immediately, the second after a hint, the third at the second try, the others not
    // yet.
    await rows(`insert into tutor_steps (user_id, content_item_id, question_id, question_hash, choice, try_number, hints)
      select who, 1, question, repeat(question::text, 64), choice, try, hints from (values
        (1, 1, 'A', 1, 0), (1, 2, 'A', 1, 1), (1, 3, 'B', 1, 0), (1, 3, 'A', 2, 0), (1, 4, 'B', 1, 0), (1, 5, 'A', 1, 2),
        (2, 4, 'A', 1, 0)) as one (who, question, choice, try, hints)`);
    await rows("update tutor_steps set choice = 'B' where user_id = 1 and question_id = 5");
    const options = [
      { id: "A", text: "a" },
      { id: "B", text: "b" },
    ];
    expect(await told()).toEqual({
      steps: {
        questions: 5,
        right_at_once: 1,
        missed: [
          { question: "Question 4", options, response: "B" },
          { question: "Question 5", options, response: "B" },
        ],
      },
    });
    await rows("update users set tutor_sees_results = true where id = 3");
    expect(await told(3)).toBeNull();
  });

  it("is null for a learner who does not share them, during an exam, and without results, and has nobody else's", async () => {
    expect(await told()).toBeNull();
    await attempted({ person: 2 });
    expect([await told(1), await told(2)]).toEqual([null, null]);
    await attempted();
    expect(await told()).not.toBeNull();
    await rows(`insert into quiz_attempts (user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at)
      values (1, 1, 1, 2, true, '2026-03-01 12:59Z')`);
    expect(await told()).toBeNull();
  });
});
