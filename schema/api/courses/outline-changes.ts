import * as z from "zod";
import { Id, Instant, list, Version } from "../platform/fields.ts";
import { dateShift } from "./copies.ts";
import { dueFollowsAvailable } from "./dates.ts";

/** Fits into a body of 1 MiB. */
const mostNamed = 10_000;

const changes = {
  is_published: z.boolean().meta({ description: "Whether students see them; of an item `is_active`" }),
  available_from: Instant.nullable().meta({ description: "Locked for learners before; null: at any time" }),
  due_at: Instant.nullable().meta({ description: "After available_from; null: at no time" }),
  shift_days: dateShift.meta({
    description: "By how many calendar days of the university the dates that they have are later",
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
    module_ids: list(Id, { max: mostNamed }).default([]).meta({ description: "Modules of the course" }),
    with_content: z
      .boolean()
      .default(false)
      .meta({ description: "Whether all that is in these modules and below them is meant too" }),
    content_item_ids: list(Id, { max: mostNamed }).default([]).meta({ description: "Items of the course" }),
    ...z.object(changes).partial().shape,
    dry_run: z.boolean().default(false).meta({ description: "Only says what would become of them" }),
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
    changed: z.int().min(0).meta({ description: "How many were changed, or would be" }),
    refused: z.int().min(0).meta({
      description: "How many would be due before they open; without `dry_run` 0, since nothing is done then",
    }),
    lines: z
      .array(
        z.object({
          content_item_id: Id.nullable(),
          module_id: Id.meta({ description: "The module, or that of the item" }),
          title: z.string(),
          state: z.enum(["CHANGED", "UNCHANGED", "REFUSED"]),
          before: stated.meta({ description: "What the course said of it" }),
          after: stated.meta({ description: "What it says then" }),
          version: Version.meta({ description: "That it has then" }),
        }),
      )
      .meta({ description: "In the order of the tree, the first 10 000" }),
  })
  .meta({ id: "OutlineChanges" });

export type OutlineChange = z.output<typeof OutlineChange>;
export type OutlineChanges = z.input<typeof OutlineChanges>;
