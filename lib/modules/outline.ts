import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { courses } from "../../schema/db/courses.ts";
import type { Actor } from "../auth/actor.ts";
import { refusalIn } from "../db/violations.ts";
import { badRequest } from "../errors.ts";
import { mayAt } from "../rbac/places.ts";

/*
 * A course's outline is the tree of its modules and the content in them. The database keeps it in order
 * (depths, no cycles, places among siblings); here is what the verbs that change it share.
 */

type OutlineAction = "module:write" | "content:write";

/**
 * The id of that course when the caller may write there, and null otherwise. The course is locked for the statement,
 * before any row of its outline: changes of one outline queue up instead of running into each other's locks.
 */
export const lockedCourse = (actor: Actor, action: OutlineAction, courseId: SQLWrapper): SQL =>
  sql`(select courses.id from courses where courses.id = ${courseId}
       and ${mayAt(actor, action, courses.university_id, courses.department_id)} for no key update)`;

/** The place of what comes without one: the database puts it after its last sibling. */
export const lastPlace = sql`null`;

/** What a move sets beside the new parent: without a place of its own, what changes its parent goes last there. */
export function placeAfterMove(
  parent: PgColumn,
  newParent: number | null | undefined,
  place: number | undefined,
) {
  if (newParent === undefined || place !== undefined) return undefined;
  const stays = sql`${parent} is not distinct from ${newParent}::int`;
  return { sequence_index: sql`case when ${stays} then sequence_index end` };
}

const ruleTexts: Record<string, string> = {
  modules_not_below_itself: "A module cannot be moved below itself",
  modules_depth_limit: "Modules nest at most 32 deep",
  modules_reorder_siblings: "module_ids must be siblings, each named once",
  content_items_reorder_siblings: "content_ids must be items of one module, each named once",
};

/** Says in words which rule of the outline the database has held against a statement: a 400. */
export async function explained<T>(statement: PromiseLike<T>, inUse?: string): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    const refusal = refusalIn(error);
    const text = ruleTexts[refusal?.constraint ?? ""] ?? (isRestricted(refusal) ? inUse : undefined);
    throw text ? badRequest(text) : error;
  }
}

/** Whether rows that refer to a row kept it from being deleted. */
const isRestricted = (refusal: ReturnType<typeof refusalIn>): boolean =>
  refusal?.code === "23001" ||
  (refusal?.code === "23503" && refusal.detail?.includes("is still referenced") === true);
