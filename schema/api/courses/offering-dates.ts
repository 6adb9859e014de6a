import * as z from "zod";
import { Id, Instant, list, oneOf, optionalWindow } from "../platform/fields.ts";
import { dateMove } from "./copies.ts";
import { dueFollowsAvailable } from "./dates.ts";

/** Many dates, within a body of 1 MiB. */
const mostLines = 1000;

const own = {
  available_from: Instant.nullable()
    .optional()
    .meta({ description: "What the offering says; null: at any time. Absent: what the course says" }),
  due_at: Instant.nullable()
    .optional()
    .meta({ description: "What the offering says; null: at no time. Absent: what the course says" }),
};

const OfferingDate = z
  .object({ content_item_id: Id.optional(), module_id: Id.optional(), ...own })
  .check(oneOf("content_item_id", "module_id"), dueFollowsAvailable)
  .meta({ id: "OfferingDate", example: { content_item_id: 1, due_at: "2027-03-01T22:59:00Z" } });

export const OfferingDatesUpdate = z
  .object({
    dates: z
      .array(OfferingDate)
      .min(1)
      .max(mostLines)
      .check(namedOnce)
      .meta({ description: "Of each item or module all that the offering says from then on; others stay" }),
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
    module_ids: list(Id, { min: 1, max: mostLines }).optional().meta({
      description: "Of these modules alone, with all that is in them and below them",
    }),
    content_item_ids: list(Id, { min: 1, max: mostLines })
      .optional()
      .meta({ description: "Of these items alone, beside those of the modules that are named" }),
  })
  .meta({ id: "OfferingDatesMove", example: { shift_days: 182 } });

export const OfferingDatesQuery = z.object(optionalWindow);

const stated = z.object({ available_from: Instant.nullable(), due_at: Instant.nullable() });

export const OfferingDateLine = z
  .object({
    content_item_id: Id.nullable(),
    module_id: Id.meta({ description: "The module, or that of the item" }),
    title: z.string(),
    content_type: z.string().nullable().meta({ description: "Of an item", example: "quiz" }),
    depth: z
      .int()
      .meta({ description: "Of the module in the tree; an item's is one more than its module's" }),
    available_from: Instant.nullable().meta({
      description: "When it opens there for who is granted nothing, of an item with all modules above it",
    }),
    due_at: Instant.nullable().meta({
      description:
        "When it is due there for who is granted nothing, of an item by itself or the nearest module above it",
    }),
    own: z
      .object(own)
      .meta({ description: "What the offering says; a key that is absent is left to the course" }),
    course: stated.meta({ description: "What the course says of it" }),
  })
  .meta({ id: "OfferingDateLine" });

export type OfferingDatesUpdate = z.output<typeof OfferingDatesUpdate>;
export type OfferingDatesMove = z.output<typeof OfferingDatesMove>;
export type OfferingDateLine = z.input<typeof OfferingDateLine>;
