import { and, sql } from "drizzle-orm";
import * as z from "zod";
import { CourseSubject, type CourseSubjects } from "../../schema/api/courses/courses.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { type ExpectedVersions, expectedVersionCondition } from "../platform/db/query/versions.ts";
import { ensureCourseVersion, explainCourseRefusal, permittedCourseCondition } from "./courses.ts";

const SubjectRow = z.union([
  CourseSubject,
  z.object({ id: z.null(), name: z.null(), code: z.null(), is_primary: z.null() }),
]);

/**
 * Returns the subjects by id. The one marked primary, or none, becomes the primary subject. 400 for an
 * unknown subject, 412 on a version conflict.
 */
export async function replaceSubjects(
  db: Db,
  actor: Actor,
  courseId: number,
  wanted: CourseSubjects,
  expected: ExpectedVersions,
): Promise<CourseSubject[]> {
  const statement = sql`
    with course as materialized (
      select id from courses
      where ${and(permittedCourseCondition(actor, "course:write", courseId), expectedVersionCondition(sql`version`, expected))}
      for no key update
    )
    select subjects.id, subjects.name, subjects.code, taught.is_primary
    from course
    left join lateral replace_course_subjects(course.id, ${JSON.stringify(wanted)}::jsonb) as taught on true
    left join subjects on subjects.id = taught.subject_id
    order by subjects.id`;
  const rows = await rowsOf(db, SubjectRow, statement);
  if (rows.length === 0) {
    await ensureCourseVersion(db, actor, "course:write", courseId, expected);
    await explainCourseRefusal(db, actor, courseId);
  }
  return rows.filter((row) => row.id !== null);
}
