import * as z from "zod";
import { nameThere } from "../identity/members.ts";
import { personOnRecord } from "../identity/person-on-record.ts";
import { EventCursor } from "../integrations/events.ts";
import { Id, IdText, integer, integerText, lowerEnum } from "../platform/fields.ts";
import { finalGrade } from "./grades.ts";

export const FinalGradeQuery = z.strictObject({
  since: EventCursor.optional().meta({
    description: "Only changes after this `change_number`; by default from the start",
  }),
  term_id: IdText.optional().meta({ description: "Only offerings of this term" }),
  format: lowerEnum(["json", "csv"]).default("json").meta({
    description: "`csv` returns one line for each grade; continue with the last line's `change_number`",
  }),
  limit: integerText(integer(1, 1000)).default(500),
});

const { graded_at, is_outdated, ...result } = finalGrade;

/** A person's current final grade in an offering, or its reopening. */
const FinalGrade = z
  .object({
    change_number: z.string().meta({
      example: "1815-42",
      description: "Number of the last change, which grows when the grade is finalized, reopened or outdated",
    }),
    user_id: Id,
    ...personOnRecord,
    ...nameThere,
    course_id: Id,
    course_code: z.string().meta({ example: "AST-201", description: "Code of the course in its university" }),
    course_offering_id: Id,
    offering_external_id: z.string().nullable().meta({
      example: "ast201-2026",
      description: "Newest id of the offering in the university's own system; null without one",
    }),
    term_id: Id.nullable(),
    is_final: z.boolean().meta({ description: "False after reopening; the following fields are then null" }),
    ...result,
    graded_at: graded_at.nullable(),
    is_outdated,
  })
  .meta({ id: "FinalGrade" });

/** A page of a university's final grades, in order of change. */
export const FinalGrades = z
  .object({
    grades: z.array(FinalGrade).meta({ description: "Earliest change first" }),
    next: z.string().nullable().meta({
      example: "1815-42",
      description: "The `since` for the next request, now or later; null if no grade is final yet",
    }),
  })
  .meta({ id: "FinalGrades" });

export type FinalGradeQuery = z.output<typeof FinalGradeQuery>;
export type FinalGrades = z.input<typeof FinalGrades>;
