import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { OfferingCopy } from "../../../schema/api/courses/copies.ts";
import type { Offering } from "../../../schema/api/courses/offerings.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsDecodedByColumns } from "../../platform/db/query/rows.ts";
import { copyableCourseCondition, rethrowCopyDateError } from "../copying.ts";
import { coursePermissionCondition } from "../course-permissions.ts";
import { ensureDrawnPoolsReadable, readableDrawnPoolsCondition } from "../question-pools.ts";
import { explainOfferingRefusal, type OfferingPath, offeringPathCondition } from "./offerings.ts";

/**
 * Copies an offering with settings, instructors and shifted dates, without enrollments, in one statement,
 * with its course or as another run of it. 400 as for a course, and for another university's term.
 */
export async function copyOffering(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  wanted: OfferingCopy,
): Promise<Offering> {
  const isAllowed = wanted.same_course
    ? coursePermissionCondition(actor, "offering:create")
    : sql`(${copyableCourseCondition(actor)} and ${readableDrawnPoolsCondition(actor)})`;
  const statement = sql`
    select copy.*
    from (
      select ${courseOfferings.id} from ${courseOfferings} join ${courses} on ${courses.id} = ${courseOfferings.course_id}
      where ${offeringPathCondition(path)} and ${isAllowed} offset 0
    ) as original
    cross join lateral copy_offering_with_or_without_course(original.id, ${JSON.stringify(wanted)}::jsonb) as copy`;
  const [offering] = await rowsDecodedByColumns(db, getTableColumns(courseOfferings), statement).catch(
    rethrowCopyDateError,
  );
  if (offering) return offering;
  const copiesCourse = and(eq(courses.id, path.course_id), copyableCourseCondition(actor));
  if (!wanted.same_course) await ensureDrawnPoolsReadable(db, actor, copiesCourse);
  return explainOfferingRefusal(db, actor, path);
}
