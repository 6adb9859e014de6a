import * as z from "zod";
import { CalendarDate, Id, Instant, title } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const writableFields = {
  name: title(255).meta({ description: "Unique within the university", example: "Autumn 2026" }),
  starts_on: CalendarDate.meta({ description: "First day" }),
  ends_on: CalendarDate.meta({ description: "Last day, included", example: "2026-12-18" }),
};

/** The error for a term that ends before it starts. */
export const termEndsTooEarly = "Input should not be before starts_on";

/** If a change has only one of the two, the database compares it with the stored one. */
function endFollowsStart({
  value: { starts_on, ends_on },
  issues,
}: z.core.ParsePayload<{ starts_on?: string | undefined; ends_on?: string | undefined }>): void {
  if (starts_on && ends_on && ends_on < starts_on)
    issues.push({ code: "custom", path: ["ends_on"], message: termEndsTooEarly, input: ends_on });
}

export const TermCreate = z.object(writableFields).check(endFollowsStart).meta({ id: "TermCreate" });

export const TermUpdate = z
  .object(writableFields)
  .partial()
  .check(endFollowsStart)
  .meta({ id: "TermUpdate" });

export const Term = z
  .object({
    id: Id,
    university_id: Id,
    name: z.string(),
    starts_on: CalendarDate,
    ends_on: CalendarDate,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Term" });

export const TermQuery = listQuery({ q: searchIn("the name"), sort: sortedBy(["starts_on", "id"]) });

export type TermCreate = z.output<typeof TermCreate>;
export type TermUpdate = z.output<typeof TermUpdate>;
export type Term = z.input<typeof Term>;
export type TermQuery = z.output<typeof TermQuery>;
