import * as z from "zod";
import { CalendarDate, Id, oneOf, text, title } from "../platform/fields.ts";

/** A hundred years. */
const maxDays = 36_500;

/** A shift by calendar days. */
export const dateShift = z.int("Input should be a valid integer").min(-maxDays).max(maxDays);

const moves = {
  shift_days: dateShift.meta({
    description: "By how many calendar days of the university all dates are later",
    example: 182,
  }),
  starts_on: CalendarDate.meta({
    description: "In place of shift_days: the day of the first date; the others keep their distance from it",
    example: "2027-02-01",
  }),
};

const copyFields = {
  code: title(128).meta({
    description:
      "The new course's, unique within the university. Without it: the original's with a number after it",
    example: "EE-101-S27",
  }),
  title: title(255).meta({ description: "The new course's; without it the original's", example: "Signals" }),
  is_published: z.boolean().meta({ description: "Whether the new course is; without it as the original is" }),
  ...moves,
};

/** Both express the same shift and might conflict. */
function datesMoveOneWay({
  value,
  issues,
}: z.core.ParsePayload<{ shift_days?: unknown; starts_on?: unknown }>): void {
  if (value.shift_days === undefined || value.starts_on === undefined) return;
  const message = "Input should be absent where shift_days is given";
  issues.push({ code: "custom", path: ["starts_on"], message, input: value.starts_on });
}

/** A shift of dates in place. */
export const dateMove = z.object(moves).partial().check(oneOf("shift_days", "starts_on"));

export const CourseCopy = z
  .object(copyFields)
  .partial()
  .check(datesMoveOneWay)
  .meta({ id: "CourseCopy", example: { code: "EE-101-S27", shift_days: 182 } });

export const OfferingCopy = z
  .object({
    ...copyFields,
    same_course: z.boolean().meta({
      description:
        "A further run of the same course, which keeps its content and the tutor's tree, and has a calendar of its own. " +
        "Without it the course is copied with the run",
    }),
    term_id: Id.nullable().meta({ description: "A term of the university; without it the original's" }),
    term_name: text(255).nullable().meta({ example: "Spring 2027" }),
  })
  .partial()
  .check(datesMoveOneWay)
  .meta({ id: "OfferingCopy", example: { term_name: "Spring 2027", starts_on: "2027-02-01" } });

export type CourseCopy = z.output<typeof CourseCopy>;
export type OfferingCopy = z.output<typeof OfferingCopy>;
