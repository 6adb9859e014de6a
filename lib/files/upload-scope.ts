import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { FileCreate } from "../../schema/api/files/files.ts";
import { contentItems } from "../../schema/db/courses/content-items.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { explainSubmissionRefusal } from "../assessment/submissions.ts";
import { AccessRefusal, accessRefusalError } from "../courses/content/item-access.ts";
import {
  coursePermissionCondition,
  offeringPermissionCondition,
  visibleCourseCondition,
} from "../courses/course-permissions.ts";
import {
  ensureDiscussionAccess,
  offeringsWithCoursesSql,
  readableDiscussionsCondition,
} from "../courses/discussion-access.ts";
import { forbidden, invalidField, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { personIdIfOfferingInTokenReachSql } from "../identity/auth/token-reach.ts";
import { permissionCondition } from "../identity/rbac/scopes.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";

/** The one row (university_id, course_id, course_offering_id, content_item_id, submission_id). */
const at = (
  columns: Partial<Record<"university" | "course" | "offering" | "item" | "submission", SQL>>,
): SQL => {
  const of = (column: SQL | undefined, type: SQL) => sql`${column ?? sql`null`}::${type}`;
  return sql`${of(columns.university, sql`int`)} as university_id, ${of(columns.course, sql`int`)} as course_id,
    ${of(columns.offering, sql`int`)} as course_offering_id, ${of(columns.item, sql`int`)} as content_item_id,
    ${of(columns.submission, sql`bigint`)} as submission_id`;
};

const ofUniversity = (
  actor: Actor,
  id: number,
  action: "asset:write" | "import:manage" | "university:update",
): SQL => sql`
  select ${at({ university: sql`universities.id` })} from universities
  where universities.id = ${id} and ${permissionCondition(actor, action, sql`universities.id`)}`;

const ofCourse = (actor: Actor, id: number): SQL => sql`
  select ${at({ university: sql`courses.university_id`, course: sql`courses.id` })} from courses
  where courses.id = ${id} and ${coursePermissionCondition(actor, "content:write")}`;

/** Writers of a course's content import questions, graders of its offerings import grades. */
const ofImportingCourse = (actor: Actor, id: number): SQL => sql`
  select ${at({ university: sql`courses.university_id`, course: sql`courses.id` })} from courses
  where courses.id = ${id} and (${coursePermissionCondition(actor, "content:write")} or exists (
    select from course_offerings
    where course_offerings.course_id = courses.id and ${offeringPermissionCondition(actor, "grade:write")}))`;

/** An open assignment or lab of a learner's own offering. */
const ofWork = (actor: Actor, offering: number, item: number, now: Date): SQL => sql`
  select ${at({
    university: sql`course_offerings.university_id`,
    offering: sql`course_offerings.id`,
    item: sql`content_items.id`,
  })}
  from course_offerings
  join content_items on content_items.course_id = course_offerings.course_id
  join content_types on content_types.id = content_items.content_type_id
    and content_types.name in ('engineering_lab', 'assignment')
  where course_offerings.id = ${offering} and ${contentItems.id} = ${item}
    and item_access_refusal(content_items.id, ${personIdIfOfferingInTokenReachSql(actor, offering)}::int, ${now.toISOString()}, offering => course_offerings.id)
      is null
    and exists (
      select from enrollments
      where user_id = ${personIdIfOfferingInTokenReachSql(actor, offering)} and course_offering_id = ${offering} and is_admitted)`;

const ofFeedback = (actor: Actor, submission: number): SQL => sql`
  select ${at({
    university: sql`courses.university_id`,
    offering: sql`course_offerings.id`,
    submission: sql`lab_submissions.id`,
  })}
  from lab_submissions
  join course_offerings on course_offerings.id = lab_submissions.course_offering_id
  join courses on courses.id = course_offerings.course_id
  where lab_submissions.id = ${submission} and lab_submissions.user_id <> ${actor.id}
    and ${offeringPermissionCondition(actor, "submission:grade")}`;

const ofPost = (actor: Actor, offering: number): SQL => sql`
  select ${at({ university: sql`course_offerings.university_id`, offering: sql`course_offerings.id` })}
  from ${offeringsWithCoursesSql} where course_offerings.id = ${offering} and ${readableDiscussionsCondition(actor)}`;

/** No row if the caller may not upload there. */
export function permittedUploadScopeQuery(actor: Actor, input: FileCreate, now: Date): SQL {
  const { university_id, course_id, course_offering_id, content_item_id, submission_id } = input;
  switch (input.purpose) {
    case "ASSET":
      return university_id
        ? ofUniversity(actor, university_id, "asset:write")
        : ofCourse(actor, course_id ?? 0);
    case "IMPORT":
      return university_id
        ? ofUniversity(actor, university_id, "import:manage")
        : ofImportingCourse(actor, course_id ?? 0);
    case "SUBMISSION":
      return ofWork(actor, course_offering_id ?? 0, content_item_id ?? 0, now);
    case "FEEDBACK":
      return ofFeedback(actor, submission_id ?? 0);
    case "POST":
      return ofPost(actor, course_offering_id ?? 0);
    case "LOGO":
      return ofUniversity(actor, university_id ?? 0, "university:update");
    case "AVATAR":
      return sql`select ${at({})}`;
  }
}

const Seen = z.object({ is_there: z.boolean(), fits: z.boolean(), refusal: AccessRefusal.nullable() });

/** 404 for a scope that the caller cannot see, 422 for one that does not fit, else 403. */
export async function explainUploadScopeRefusal(
  db: Db,
  actor: Actor,
  input: FileCreate,
  now: Date,
): Promise<never> {
  const { purpose, university_id, course_id, course_offering_id, content_item_id, submission_id } = input;
  if (purpose === "FEEDBACK") return explainSubmissionRefusal(db, actor, submission_id ?? 0);
  if (purpose === "POST") {
    await ensureDiscussionAccess(db, actor, course_offering_id ?? 0);
    throw forbidden();
  }
  if (purpose === "SUBMISSION") {
    const [seen] = await rowsOf(
      db,
      Seen,
      sql`
        select ${visibleCourseCondition(actor)} as is_there,
          exists (
            select from content_items join content_types on content_types.id = content_items.content_type_id
            where content_items.id = ${content_item_id} and content_items.course_id = courses.id
              and content_types.name in ('engineering_lab', 'assignment')) as fits,
          (select item_access_refusal(content_items.id, ${personIdIfOfferingInTokenReachSql(actor, course_offering_id ?? 0)}::int,
            ${now.toISOString()}, offering => course_offerings.id)
           from content_items where content_items.id = ${content_item_id}) as refusal
        from ${offeringsWithCoursesSql} where course_offerings.id = ${course_offering_id}`,
    );
    if (!seen?.is_there) throw notFound("Offering");
    if (!seen.fits || seen.refusal === "hidden")
      throw invalidField(["content_item_id"], "Input should be a lab or an assignment of this offering");
    throw seen.refusal ? accessRefusalError(seen.refusal) : forbidden("not_enrolled");
  }
  const found = university_id
    ? sql`select from universities where id = ${university_id}`
    : sql`select from ${courses} where courses.id = ${course_id} and ${visibleCourseCondition(actor)}`;
  const { rows } = await db.execute(found);
  throw rows.length > 0 ? forbidden() : notFound(university_id ? "University" : "Course");
}
