import type * as z from "zod";
import { Instant } from "../platform/fields.ts";

/** When a module or item opens for learners, and when it is due. */
export const dates = {
  available_from: Instant.nullable().meta({
    description: "When it opens for learners; null for immediately",
  }),
  due_at: Instant.nullable().meta({
    description: "When it is due, after available_from; null for never",
    example: "2026-09-15T22:00:00.000Z",
  }),
};

/** The error for a due date before the opening. */
export const dueTooEarly = "Input should be after available_from";

/** If a change has only one of the two, the database compares it with the stored one. */
export function dueFollowsAvailable({
  value,
  issues,
}: z.core.ParsePayload<{
  available_from?: string | null | undefined;
  due_at?: string | null | undefined;
}>): void {
  const { available_from, due_at } = value;
  if (available_from && due_at && Date.parse(due_at) <= Date.parse(available_from))
    issues.push({ code: "custom", path: ["due_at"], message: dueTooEarly, input: due_at });
}
