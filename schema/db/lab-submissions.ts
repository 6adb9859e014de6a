import { index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { type LabSubmissionStatus, labSubmissionStatuses } from "../enums.ts";
import { decimal, id, instant, jsonObject, lowerEnum, now, oneOf, reference } from "./columns.ts";
import { contentItems } from "./content-items.ts";
import { courseOfferings } from "./offerings.ts";
import { users } from "./users.ts";

/** Work that a person handed in for an engineering lab, and its grade. */
export const labSubmissions = pgTable(
  "lab_submissions",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    course_offering_id: reference(() => courseOfferings.id, "restrict").notNull(),
    content_item_id: reference(() => contentItems.id, "restrict").notNull(),
    submitted_at: instant().notNull().default(now),
    status: lowerEnum<LabSubmissionStatus>().notNull().default("submitted"),
    auto_grade_json: jsonObject(),
    score_obtained: decimal(6, 2),
    max_score: decimal(6, 2),
    instructor_feedback: text(),
    artifacts_url: varchar({ length: 1024 }),
  },
  (table) => [
    index().on(table.user_id, table.submitted_at, table.id),
    index().on(table.course_offering_id, table.submitted_at, table.id),
    index().on(table.content_item_id),
    index("lab_submissions_results_index").on(
      table.submitted_at,
      table.status,
      table.score_obtained,
      table.max_score,
    ),
    oneOf(table.status, labSubmissionStatuses),
  ],
);
