import * as z from "zod";
import { nameThere } from "../identity/members.ts";
import { personOnRecord } from "../identity/person-on-record.ts";
import { EventCursor } from "../integrations/events.ts";
import { Id, IdText, integer, integerText, lowerEnum } from "../platform/fields.ts";
import { finalGrade } from "./grades.ts";

export const FinalGradeQuery = z.strictObject({
  since: EventCursor.optional().meta({
    description: "Only what changed behind this `change_number`; without it from the first",
  }),
  term_id: IdText.optional().meta({ description: "Only of offerings of this term" }),
  format: lowerEnum(["json", "csv"]).default("json").meta({
    description: "`csv` is a line for each grade; the last one's `change_number` is where to go on",
  }),
  limit: integerText(integer(1, 1000)).default(500),
});

const { graded_at, is_outdated, ...result } = finalGrade;

/** A person's current final grade in an offering, or its reopening. */
const FinalGrade = z
  .object({
    change_number: z.string().meta({
      example: "1815-42",
      description: "Of its last change: greater each time that it is made final, opened again or outdated",
    }),
    user_id: Id,
    ...personOnRecord,
    ...nameThere,
    course_id: Id,
    course_code: z.string().meta({ example: "AST-201", description: "Of the course, in its university" }),
    course_offering_id: Id,
    offering_external_id: z.string().nullable().meta({
      example: "ast201-2026",
      description: "The newest id by which the university's own system knows the offering; null without one",
    }),
    term_id: Id.nullable(),
    is_final: z.boolean().meta({ description: "False once it is open again, with nothing of the below" }),
    ...result,
    graded_at: graded_at.nullable(),
    is_outdated,
  })
  .meta({ id: "FinalGrade" });

/** A page of a university's final grades, in order of change. */
export const FinalGrades = z
  .object({
    grades: z.array(FinalGrade).meta({ description: "Those that changed longest ago first" }),
    next: z.string().nullable().meta({
      example: "1815-42",
      description: "The `since` to go on with, also later; null where nothing is final yet",
    }),
  })
  .meta({ id: "FinalGrades" });

export type FinalGradeQuery = z.output<typeof FinalGradeQuery>;
export type FinalGrades = z.input<typeof FinalGrades>;
