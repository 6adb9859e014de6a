import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import {
  Prerequisite,
  type PrerequisiteCreate,
  type PrerequisiteQuery,
} from "../../schema/api/courses/courses.ts";
import { coursePrerequisites, courses } from "../../schema/db/courses/courses.ts";
import { toInstant } from "../../schema/db/platform/columns.ts";
import { badRequest, fieldValueMessagePlaceholders, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { ensurePermission } from "../identity/rbac/policy.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { createPageQuery } from "../platform/db/query/page.ts";
import { rowsOf, StoredInstant } from "../platform/db/query/rows.ts";
import {
  containsAllWordsCondition,
  searchAndSortBy,
  sortKeysForParameter,
} from "../platform/db/query/search-and-sort.ts";
import { constraintViolationIn } from "../platform/db/query/violations.ts";
import type { ListPage } from "../platform/results/list-page.ts";
import { visibleCourseCondition } from "./course-permissions.ts";
import { explainCourseRefusal, getCourse, permittedCourseCondition } from "./courses.ts";
import { deleteChildRow } from "./permitted-delete.ts";

const StoredPrerequisite = Prerequisite.extend({ created_at: StoredInstant });

const required = alias(courses, "required");

const { searched, sorts } = searchAndSortBy(required.search_text, "title", { code: [required.code] });

export async function listPrerequisites(
  db: ReadDb,
  actor: Actor | undefined,
  courseId: number,
  { q, prerequisite_type, sort, ...window }: PrerequisiteQuery,
): Promise<ListPage<Prerequisite>> {
  const page = createPageQuery(window, sortKeysForParameter(sort, sorts, coursePrerequisites.id));
  const wanted = and(
    eq(coursePrerequisites.course_id, courses.id),
    visibleCourseCondition(actor, required),
    containsAllWordsCondition(searched, q),
    prerequisite_type ? eq(coursePrerequisites.prerequisite_type, prerequisite_type) : undefined,
  );
  const listed = db
    .select({
      id: coursePrerequisites.id,
      course_id: coursePrerequisites.course_id,
      prerequisite_course_id: coursePrerequisites.prerequisite_course_id,
      title: required.title,
      code: required.code,
      prerequisite_type: coursePrerequisites.prerequisite_type,
      created_at: coursePrerequisites.created_at,
      page_key: page.key,
    })
    .from(coursePrerequisites)
    .innerJoin(required, eq(required.id, coursePrerequisites.prerequisite_course_id))
    .where(page.where(wanted))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit)
    .as("listed");
  const rows = await db
    .select({ listed: listed._.selectedFields })
    .from(courses)
    .leftJoinLateral(listed, sql`true`)
    .where(and(eq(courses.id, courseId), visibleCourseCondition(actor)));
  if (rows.length === 0) throw notFound("Course");
  return page.part(rows.flatMap((row) => row.listed ?? []));
}

/** 400 for another university, a duplicate or a cycle. */
export async function addPrerequisite(
  db: Db,
  actor: Actor,
  courseId: number,
  { prerequisite_course_id, prerequisite_type }: PrerequisiteCreate,
): Promise<Prerequisite> {
  const statement = sql`
    with added as (
      insert into course_prerequisites (course_id, prerequisite_course_id, prerequisite_type)
      select courses.id, required.id, ${prerequisite_type.toLowerCase()}
      from courses join courses as required using (university_id)
      where ${permittedCourseCondition(actor, "course:write", courseId)}
        and required.id = ${prerequisite_course_id} and ${visibleCourseCondition(actor, required)}
      returning id, course_id, prerequisite_course_id, prerequisite_type, created_at
    )
    select added.id, course_id, prerequisite_course_id, title, code,
           upper(prerequisite_type) as prerequisite_type, added.created_at
    from added join courses on courses.id = prerequisite_course_id`;
  const [prerequisite] = await rowsOf(db, StoredPrerequisite, statement).catch(throwCycle);
  if (prerequisite) return { ...prerequisite, created_at: toInstant(prerequisite.created_at) };
  ensurePermission(actor, "course:write", { ...(await getCourse(db, actor, courseId)), course_id: courseId });
  throw badRequest(
    "does_not_exist_in_university",
    fieldValueMessagePlaceholders("Prerequisite", "prerequisite_course_id", prerequisite_course_id),
  );
}

/** 404 if there is none. */
export async function removePrerequisite(
  db: Db,
  actor: Actor,
  courseId: number,
  prerequisiteCourseId: number,
): Promise<void> {
  const removal = {
    parent: sql`select id from courses where ${permittedCourseCondition(actor, "course:write", courseId)}`,
    removed: sql`
      delete from course_prerequisites using parent
      where course_id = parent.id and prerequisite_course_id = ${prerequisiteCourseId}
      returning course_id`,
  };
  await deleteChildRow(db, removal, "Prerequisite", () => explainCourseRefusal(db, actor, courseId));
}

/** The cycle may be direct or indirect. */
function throwCycle(error: unknown): never {
  if (constraintViolationIn(error)?.code === "23514") throw badRequest("prerequisites_form_cycle");
  throw error;
}
