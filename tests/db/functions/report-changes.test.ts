import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { rows, noted } = openSession();

/** What the only row of a table counts for, by `counts_of`. */
const countsOf = (table: string) =>
  rows(`select counted.measure, counted.course_id, counted.day::text, counted.since::text, counted.amount::float8
    from ${table} as one, counts_of(one) as counted where one.user_id = 1 order by measure`);

describe("counts_of", () => {
  it("counts users by the day on which they came", async () => {
    expect(
      await rows("select measure, day::text from users as one, counts_of(one) where one.id = 1"),
    ).toEqual([{ measure: "signups", day: "2026-03-01" }]);
  });

  it("counts enrollments by status, and the drop by its day", async () => {
    await rows(
      "insert into enrollments (user_id, course_offering_id, status, dropped_at) values (1, 1, 'dropped', '2026-03-04')",
    );
    expect(await countsOf("enrollments")).toEqual([
      { measure: "drops", course_id: 1, day: "2026-03-04", since: null, amount: 1 },
      { measure: "enrollments_dropped", course_id: 1, day: null, since: null, amount: 1 },
    ]);
  });

  it("counts user_content_progress by the day of its start, and of its completion since then", async () => {
    await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, first_started_at, completed_at)
      values (1, 1, 1, '2026-03-02', '2026-03-03')`);
    expect(await countsOf("user_content_progress")).toEqual([
      { measure: "topics_completed", course_id: 1, day: "2026-03-03", since: "2026-03-02", amount: 1 },
      { measure: "topics_started", course_id: 1, day: "2026-03-02", since: null, amount: 1 },
    ]);
  });

  it("counts course_trees by their completion and by their interruptions, which end", async () => {
    await rows("insert into course_trees values (1, 1, 1, '2026-03-09', '{[2026-03-05,2026-03-07)}')");
    expect(await countsOf("course_trees")).toEqual([
      { measure: "trees_completed", course_id: 1, day: "2026-03-09", since: null, amount: 1 },
      { measure: "trees_interrupted", course_id: 1, day: "2026-03-05", since: null, amount: 1 },
      { measure: "trees_interrupted", course_id: 1, day: "2026-03-07", since: null, amount: -1 },
    ]);
  });

  it("counts quiz_attempts once they are submitted, with their score as a part of the possible", async () => {
    const attempt = `insert into quiz_attempts (user_id, course_offering_id, content_item_id, submitted_at, passed, score_obtained, max_score)`;
    await rows(`${attempt} values (1, 1, 1, '2026-03-02', true, 3, 4), (2, 1, 1, null, null, null, null)`);
    expect((await countsOf("quiz_attempts")).map(({ measure, amount }) => [measure, amount])).toEqual([
      ["quiz_scores", 0.75],
      ["quizzes_passed", 1],
      ["quizzes_scored", 1],
      ["quizzes_submitted", 1],
    ]);
    expect(await rows("select 1 from quiz_attempts as one, counts_of(one) where user_id = 2")).toEqual([]);
  });

  it("counts lab_submissions, graded or not", async () => {
    await rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id, submitted_at, status, score_obtained, max_score)
      values (1, 1, 1, '2026-03-02', 'graded', 1, 2)`);
    expect((await countsOf("lab_submissions")).map(({ measure, amount }) => [measure, amount])).toEqual([
      ["lab_scores", 0.5],
      ["labs_graded", 1],
      ["labs_scored", 1],
      ["labs_submitted", 1],
    ]);
  });

  describe("of what people write", () => {
    beforeEach(async () => {
      await rows("insert into notes (user_id, content_item_id, body) values (1, 1, 'A note')");
      await rows(
        "insert into flashcards (id, user_id, front, back) overriding system value values (1, 1, 'Front', 'Back')",
      );
      await rows("insert into flashcard_reviews (flashcard_id, rating) values (1, 'good')");
      await rows(
        "insert into discussion_threads (id, course_offering_id, created_by_user_id) overriding system value values (1, 1, 1)",
      );
      await rows(
        "insert into discussion_posts (thread_id, user_id, body, is_deleted) values (1, 1, 'Said', false), (1, 1, 'Taken back', true)",
      );
      await rows("insert into course_reviews (user_id, course_offering_id, rating) values (1, 1, 4)");
    });

    it.each([
      ["notes", { notes: 1 }],
      ["flashcards", { flashcards: 1 }],
      ["flashcard_reviews", { flashcard_reviews: 1 }],
      ["discussion_threads", { discussion_threads: 1 }],
      ["discussion_posts", { discussion_posts: 1 }],
      ["course_reviews", { course_reviews: 1, course_ratings: 4 }],
    ])(
      "counts the %s that stand, each of most tables as one of its name (anyelement)",
      async (table, counts) => {
        const counted = await rows(`select measure, amount::float8 from ${table} as one, counts_of(one)`);
        expect(Object.fromEntries(counted.map(({ measure, amount }) => [measure, amount]))).toEqual(counts);
      },
    );
  });
});

describe("note_changes", () => {
  it("notes what a new row counts for, takes the former away with a change, and all of it with the row", async () => {
    await rows("insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'active')");
    expect(await noted()).toEqual({ enrollments_active: 1 });
    await rows("insert into certificate_settings (course_offering_id, issuance) values (1, 'by_staff')");
    await rows("update enrollments set status = 'completed'");
    expect(await noted()).toEqual({ enrollments_completed: 1 });
    await rows("delete from enrollments");
    expect(await noted()).toEqual({});
  });

  it("notes nothing for a change that counts for nothing", async () => {
    await rows("insert into course_reviews (user_id, course_offering_id, rating) values (1, 1, 4)");
    await rows("delete from uncounted_changes");
    await rows("update course_reviews set rating = 4");
    expect(await rows("select * from uncounted_changes")).toEqual([]);
  });
});
