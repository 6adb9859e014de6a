import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { users } from "../identity/users.ts";
import { bigId, bigReference, decimal, instant, json, reference } from "../platform/columns.ts";
import { type KeptLevel, labSubmissions } from "./lab-submissions.ts";

/** One of two marks of work in an item with `second_mark`. It is graded when both agree. */
export const submissionMarks = pgTable(
  "submission_marks",
  {
    id: bigId(),
    submission_id: bigReference(() => labSubmissions.id, "cascade").notNull(),
    /** 1 or 2. */
    place: integer().notNull(),
    /** Null after the grader erased their account. */
    grader_id: reference(() => users.id, "set null"),
    score: decimal(6, 2).notNull(),
    rubric: json<KeptLevel[]>(),
    feedback: text(),
    marked_at: instant().notNull(),
  },
  (table) => [
    // A grader gives one mark, and concurrent graders cannot add a third.
    unique("submission_marks_grader_unique").on(table.submission_id, table.grader_id),
    unique("submission_marks_place_unique").on(table.submission_id, table.place),
    index().on(table.grader_id),
    check("submission_marks_place_check", sql`${table.place} in (1, 2)`),
  ],
);
