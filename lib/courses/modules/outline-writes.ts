import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { dueTooEarly } from "../../../schema/api/courses/dates.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { badRequest, invalidField, nonexistentFileBadRequest } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { type ExpectedVersions, expectedVersionCondition } from "../../platform/db/query/versions.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import { coursePermissionCondition } from "../course-permissions.ts";

/*
 * The outline is a course's tree of modules and content. The database ensures depths, positions and no
 * cycles.
 */

type OutlineAction = "module:write" | "content:write";

/**
 * The course's id if the caller may write there and the version is as expected, else null. Locks the course
 * before its outline, so concurrent outline changes queue instead of deadlocking.
 */
export const lockCourseForOutlineChangeSql = (
  actor: Actor,
  action: OutlineAction,
  courseId: SQLWrapper,
  expected?: ExpectedVersions,
): SQL =>
  sql`(select courses.id from courses where courses.id = ${courseId}
       and ${coursePermissionCondition(actor, action)} and ${expectedVersionCondition(courses.version, expected)} for no key update)`;

/** Without a position, the database appends the row after its siblings. */
export const appendPositionSql = sql`null`;

/** Last under a new parent unless a position is given. */
export function positionUpdateAfterMove(
  parent: PgColumn,
  newParent: number | null | undefined,
  position: number | undefined,
) {
  if (newParent === undefined || position !== undefined) return undefined;
  const stays = sql`${parent} is not distinct from ${newParent}::int`;
  return { sequence_index: sql`case when ${stays} then sequence_index end` };
}

type RuleCode =
  | "module_below_itself"
  | "modules_too_deep"
  | "requirements_of_another_course"
  | "requirements_form_cycle"
  | "module_order_incomplete"
  | "item_keeps_type"
  | "rescale_required"
  | "score_over_points"
  | "item_stays_anonymous"
  | "content_order_incomplete"
  | "module_in_use"
  | "content_item_in_use";

const ruleCodes: Record<string, RuleCode> = {
  modules_not_below_itself: "module_below_itself",
  modules_depth_limit: "modules_too_deep",
  modules_requirements_of_course: "requirements_of_another_course",
  modules_requirements_acyclic: "requirements_form_cycle",
  modules_reorder_siblings: "module_order_incomplete",
  content_items_keep_type: "item_keeps_type",
  content_items_say_rescale: "rescale_required",
  content_items_hold_scores: "score_over_points",
  content_items_stay_anonymous: "item_stays_anonymous",
  content_items_reorder_siblings: "content_order_incomplete",
};

/** Translates a violated outline rule into a 400. */
export async function translateOutlineRefusal<T>(statement: PromiseLike<T>, inUse?: RuleCode): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    const refusal = constraintViolationIn(error);
    if (refusal?.constraint === "file_exists") throw nonexistentFileBadRequest(Number(refusal.detail));
    if (refusal?.constraint?.endsWith("_due_at_check")) throw invalidField(["due_at"], dueTooEarly);
    const code = ruleCodes[refusal?.constraint ?? ""] ?? (isRestricted(refusal) ? inUse : undefined);
    throw code ? badRequest(code) : error;
  }
}

const isRestricted = (refusal: ReturnType<typeof constraintViolationIn>): boolean =>
  refusal?.code === "23001" ||
  (refusal?.code === "23503" && refusal.detail?.includes("is still referenced") === true);
