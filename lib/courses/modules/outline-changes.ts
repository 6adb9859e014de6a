import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { dueTooEarly } from "../../../schema/api/courses/dates.ts";
import { type OutlineChange, OutlineChanges } from "../../../schema/api/courses/outline-changes.ts";
import { badRequest, fieldValueMessagePlaceholders, invalidField } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ExpectedVersions } from "../../platform/db/query/versions.ts";
import { rethrowCopyDateError } from "../copying.ts";
import { ensureCourseVersion, explainCourseRefusal } from "../courses.ts";
import { lockCourseForOutlineChangeSql } from "./outline-writes.ts";

/** The index, from 0, of an id that is not in the course. */
export const UnknownOutlineIdIndex = z.partialRecord(z.enum(["module_ids", "content_item_ids"]), z.int());
const Outcome = z.object({
  outcome: z.union([
    OutlineChanges.omit({ dry_run: true }).extend({ missing: z.null() }),
    z.object({ missing: UnknownOutlineIdIndex }),
  ]),
});

/**
 * Publishes, hides or dates modules and items, all or none; a dry run changes none. 404 if the caller cannot
 * see the course, 403 without the right to write, 412 on a version conflict. 400 for unknown ids or dates out
 * of range, 422 for a due date before the opening.
 */
export async function changeOutlineVisibilityAndDates(
  db: Db,
  actor: Actor,
  courseId: number,
  { dry_run, ...wanted }: OutlineChange,
  expected: ExpectedVersions,
): Promise<OutlineChanges> {
  const [row] = await rowsOf(
    db,
    Outcome,
    sql`
      select apply_or_preview_outline_changes(writable.id, ${JSON.stringify(wanted)}::jsonb, ${dry_run}) as outcome
      from (select ${locked(actor, courseId, expected)} as id) as writable where writable.id is not null`,
  ).catch(rethrowCopyDateError);
  if (!row) {
    await ensureCourseVersion(db, actor, "content:write", courseId, expected);
    return explainCourseRefusal(db, actor, courseId);
  }
  const { outcome } = row;
  if (outcome.missing !== null) throw unknownOutlineIdError("Outline", wanted, outcome.missing);
  if (outcome.refused > 0 && !dry_run) throw invalidField(["due_at"], dueTooEarly);
  const { missing: _, ...answer } = outcome;
  return { dry_run, ...answer };
}

/** Checks one right: writers of content may write modules (lib/identity/rbac/policy.ts). */
const locked = (actor: Actor, courseId: number, expected: ExpectedVersions): SQL =>
  lockCourseForOutlineChangeSql(actor, "content:write", sql`${courseId}`, expected);

type Named = { module_ids?: number[] | undefined; content_item_ids?: number[] | undefined };

export function unknownOutlineIdError(
  what: string,
  named: Named,
  missing: z.output<typeof UnknownOutlineIdIndex>,
) {
  const key = missing.module_ids === undefined ? "content_item_ids" : "module_ids";
  return badRequest(
    "does_not_exist_in_course",
    fieldValueMessagePlaceholders(what, key, named[key]?.[missing[key] ?? 0]),
  );
}
