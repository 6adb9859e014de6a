import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { OfferingCopy } from "../../../schema/api/courses/copies.ts";
import type { Offering } from "../../../schema/api/courses/offerings.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { storedRowsOf } from "../../platform/db/query/rows.ts";
import { mayCopyCourse, rethrowCopyDateError } from "../copying.ts";
import { courseAllows } from "../course-permissions.ts";
import { areDrawnPoolsReadable, ensureDrawnPoolsReadable } from "../question-pools.ts";
import { explainOfferingRefusal, matchesOfferingPath, type OfferingPath } from "./offerings.ts";

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
    ? courseAllows(actor, "offering:create")
    : sql`(${mayCopyCourse(actor)} and ${areDrawnPoolsReadable(actor)})`;
  const statement = sql`
    select copy.*
    from (
      select ${courseOfferings.id} from ${courseOfferings} join ${courses} on ${courses.id} = ${courseOfferings.course_id}
      where ${matchesOfferingPath(path)} and ${isAllowed} offset 0
    ) as original
    cross join lateral copy_offering(original.id, ${JSON.stringify(wanted)}::jsonb) as copy`;
  const [offering] = await storedRowsOf(db, getTableColumns(courseOfferings), statement).catch(
    rethrowCopyDateError,
  );
  if (offering) return offering;
  const copiesCourse = and(eq(courses.id, path.course_id), mayCopyCourse(actor));
  if (!wanted.same_course) await ensureDrawnPoolsReadable(db, actor, copiesCourse);
  return explainOfferingRefusal(db, actor, path);
}
