import * as z from "zod";
import { Id, Instant, list, Version } from "../platform/fields.ts";
import { dateShift } from "./copies.ts";
import { dueFollowsAvailable } from "./dates.ts";

/** Fits into a body of 1 MiB. */
const maxIdsPerOutlineChange = 10_000;

const changes = {
  is_published: z.boolean().meta({ description: "Whether learners see them; for items, sets `is_active`" }),
  available_from: Instant.nullable().meta({ description: "When they open for learners; null for any time" }),
  due_at: Instant.nullable().meta({ description: "When they are due, after available_from; null for none" }),
  shift_days: dateShift.meta({
    description: "Number of calendar days in the university's time zone by which existing dates are later",
    example: 7,
  }),
};

type Wanted = { [key in keyof typeof changes]?: unknown } & {
  module_ids: unknown[];
  content_item_ids: unknown[];
};

/** Requires targets and changes; dates are either set or shifted. */
function saysWhatOfWhat({ value, issues }: z.core.ParsePayload<Wanted>): void {
  const say = (key: string, message: string) =>
    issues.push({ code: "custom", path: [key], message, input: value });
  if (value.module_ids.length + value.content_item_ids.length === 0)
    say("module_ids", "Input should name a module or an item");
  if (Object.keys(changes).every((key) => value[key as keyof typeof changes] === undefined))
    say("is_published", "Input should name at least one change");
  if (value.shift_days !== undefined && (value.available_from !== undefined || value.due_at !== undefined))
    say("shift_days", "Input should be absent where dates are set");
}

export const OutlineChange = z
  .object({
    module_ids: list(Id, { max: maxIdsPerOutlineChange })
      .default([])
      .meta({ description: "Modules of the course" }),
    with_content: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to include everything in and below these modules" }),
    content_item_ids: list(Id, { max: maxIdsPerOutlineChange })
      .default([])
      .meta({ description: "Items of the course" }),
    ...z.object(changes).partial().shape,
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to return the outcome without writing" }),
  })
  .check(saysWhatOfWhat, dueFollowsAvailable)
  .meta({
    id: "OutlineChange",
    example: { module_ids: [1], with_content: true, is_published: true, dry_run: true },
  });

const stated = z.object({
  is_published: z.boolean(),
  available_from: Instant.nullable(),
  due_at: Instant.nullable(),
});

export const OutlineChanges = z
  .object({
    dry_run: z.boolean(),
    changed: z.int().min(0).meta({ description: "Number of entries changed, or to be changed" }),
    refused: z
      .int()
      .min(0)
      .meta({
        description:
          "Number of entries with a due date before the opening date, in a `dry_run`. Otherwise 0: one such " +
          "entry rejects the request",
      }),
    lines: z
      .array(
        z.object({
          content_item_id: Id.nullable(),
          module_id: Id.meta({ description: "The module, or the item's module" }),
          title: z.string(),
          state: z.enum(["CHANGED", "UNCHANGED", "REFUSED"]),
          before: stated.meta({ description: "Values in the course before the change" }),
          after: stated.meta({ description: "Values after the change" }),
          version: Version.meta({ description: "Version after the change" }),
        }),
      )
      .meta({ description: "In tree order, the first 10,000" }),
  })
  .meta({ id: "OutlineChanges" });

export type OutlineChange = z.output<typeof OutlineChange>;
export type OutlineChanges = z.input<typeof OutlineChanges>;
