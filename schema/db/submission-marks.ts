import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { bigId, bigReference, decimal, instant, json, reference } from "./columns.ts";
import { type KeptLevel, labSubmissions } from "./lab-submissions.ts";
import { users } from "./users.ts";

/** What one of two graders gives work of an item that says `second_mark`. It is graded once both are agreed upon. */
export const submissionMarks = pgTable(
  "submission_marks",
  {
    id: bigId(),
    submission_id: bigReference(() => labSubmissions.id, "cascade").notNull(),
    /** The first or the second. */
    place: integer().notNull(),
    /** Null for whoever has erased their account since. */
    grader_id: reference(() => users.id, "set null"),
    score: decimal(6, 2).notNull(),
    rubric: json<KeptLevel[]>(),
    feedback: text(),
    marked_at: instant().notNull(),
  },
  (table) => [
    // Nobody gives both, and two who come at once are no third one.
    unique("submission_marks_grader_unique").on(table.submission_id, table.grader_id),
    unique("submission_marks_place_unique").on(table.submission_id, table.place),
    index().on(table.grader_id),
    check("submission_marks_place_check", sql`${table.place} in (1, 2)`),
  ],
);
