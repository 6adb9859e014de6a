import * as z from "zod";
import { CalendarDate, Id, oneOf, text, title } from "../platform/fields.ts";

/** A hundred years. */
const maxDays = 36_500;

/** A shift by calendar days. */
export const dateShift = z.int("Input should be a valid integer").min(-maxDays).max(maxDays);

const moves = {
  shift_days: dateShift.meta({
    description: "Number of calendar days in the university's time zone by which all dates are later",
    example: 182,
  }),
  starts_on: CalendarDate.meta({
    description:
      "Instead of shift_days: the new day of the first date. The other dates keep their distance from it",
    example: "2027-02-01",
  }),
};

const copyFields = {
  code: title(128).meta({
    description:
      "Code of the new course, unique within the university. Default: the original's code with a number",
    example: "EE-101-S27",
  }),
  title: title(255).meta({
    description: "Title of the new course. Default: the original's title",
    example: "Signals",
  }),
  is_published: z
    .boolean()
    .meta({ description: "Whether the new course is published. Default: as the original" }),
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
        "Adds another run of the same course, which shares content and the tutor's answer tree but has its " +
        "own dates. Otherwise the course is copied, too",
    }),
    term_id: Id.nullable().meta({ description: "A term of the university. Default: the original's term" }),
    term_name: text(255).nullable().meta({ example: "Spring 2027" }),
  })
  .partial()
  .check(datesMoveOneWay)
  .meta({ id: "OfferingCopy", example: { term_name: "Spring 2027", starts_on: "2027-02-01" } });

export type CourseCopy = z.output<typeof CourseCopy>;
export type OfferingCopy = z.output<typeof OfferingCopy>;
