import * as z from "zod";
import { Id, Instant, list, oneOf, optionalWindow } from "../platform/fields.ts";
import { dateMove } from "./copies.ts";
import { dueFollowsAvailable } from "./dates.ts";

/** Many dates, within a body of 1 MiB. */
const maxOfferingDatesPerRequest = 1000;

const own = {
  available_from: Instant.nullable()
    .optional()
    .meta({ description: "The offering's date; null for any time. If absent, the course's date applies" }),
  due_at: Instant.nullable()
    .optional()
    .meta({ description: "The offering's date; null for none. If absent, the course's date applies" }),
};

const OfferingDate = z
  .object({ content_item_id: Id.optional(), module_id: Id.optional(), ...own })
  .check(oneOf("content_item_id", "module_id"), dueFollowsAvailable)
  .meta({ id: "OfferingDate", example: { content_item_id: 1, due_at: "2027-03-01T22:59:00Z" } });

export const OfferingDatesUpdate = z
  .object({
    dates: z.array(OfferingDate).min(1).max(maxOfferingDatesPerRequest).check(namedOnce).meta({
      description: "All dates that the offering sets for each item or module. Unlisted entries stay",
    }),
  })
  .meta({
    id: "OfferingDatesUpdate",
    example: { dates: [{ content_item_id: 1, due_at: "2027-03-01T22:59:00Z" }] },
  });

/** Rejects duplicates: a second line would override the first. */
function namedOnce({ value, issues }: z.core.ParsePayload<z.output<typeof OfferingDate>[]>): void {
  const seen = new Set<string>();
  value.forEach(({ content_item_id, module_id }, line) => {
    const [key, id] =
      module_id === undefined ? ["content_item_id", content_item_id] : ["module_id", module_id];
    const message = "Input should name each item and module once";
    if (seen.has(`${key} ${id}`)) issues.push({ code: "custom", path: [line, key], message, input: id });
    seen.add(`${key} ${id}`);
  });
}

export const OfferingDatesMove = dateMove
  .safeExtend({
    module_ids: list(Id, { min: 1, max: maxOfferingDatesPerRequest }).optional().meta({
      description: "Only these modules, with everything in and below them",
    }),
    content_item_ids: list(Id, { min: 1, max: maxOfferingDatesPerRequest })
      .optional()
      .meta({ description: "Only these items, in addition to those of the listed modules" }),
  })
  .meta({ id: "OfferingDatesMove", example: { shift_days: 182 } });

export const OfferingDatesQuery = z.object(optionalWindow);

const stated = z.object({ available_from: Instant.nullable(), due_at: Instant.nullable() });

export const OfferingDateLine = z
  .object({
    content_item_id: Id.nullable(),
    module_id: Id.meta({ description: "The module, or the item's module" }),
    title: z.string(),
    content_type: z.string().nullable().meta({ description: "Content type of an item", example: "quiz" }),
    depth: z
      .int()
      .meta({ description: "Depth of the module in the tree; an item is one deeper than its module" }),
    available_from: Instant.nullable().meta({
      description: "When it opens without individual overrides; for items, with all modules above",
    }),
    due_at: Instant.nullable().meta({
      description:
        "When it is due without individual overrides; for items, by their own date or that of the nearest " +
        "module above",
    }),
    own: z
      .object(own)
      .meta({ description: "Dates set by the offering; an absent key is inherited from the course" }),
    course: stated.meta({ description: "Dates set by the course" }),
  })
  .meta({ id: "OfferingDateLine" });

export type OfferingDatesUpdate = z.output<typeof OfferingDatesUpdate>;
export type OfferingDatesMove = z.output<typeof OfferingDatesMove>;
export type OfferingDateLine = z.input<typeof OfferingDateLine>;
