import { and, eq, type SQL, sql } from "drizzle-orm";
import { contentItems } from "../../schema/db/content-items.ts";
import { courses } from "../../schema/db/courses.ts";
import { modules } from "../../schema/db/modules.ts";
import { courseOfferings } from "../../schema/db/offerings.ts";
import type { Actor } from "../auth/actor.ts";
import { contentVisibleTo } from "../content/visibility.ts";
import { courseAllows } from "../courses/visibility.ts";
import type { Db } from "../db/client.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Action } from "../rbac/policy.ts";

/** A quiz is a content item, and in each offering of its course one of its own. */
export type QuizPath = { offering_id: number; content_item_id: number };

/** The one row (offering_id, item_id, university_id) of a quiz to which the caller may do `action`. */
export const reachedQuiz = (actor: Actor, action: Action, path: QuizPath): SQL => sql`
  select course_offerings.id as offering_id, content_items.id as item_id, courses.university_id
  from course_offerings
  join courses on courses.id = course_offerings.course_id
  join content_items on content_items.course_id = courses.id
  join content_types on content_types.id = content_items.content_type_id and content_types.name = 'quiz'
  where course_offerings.id = ${path.offering_id} and content_items.id = ${path.content_item_id}
    and ${courseAllows(actor, action)}`;

/** Why a statement did not reach the quiz: 404 when the caller cannot see it, else 403. */
export async function refuseQuiz(db: Db, actor: Actor, path: QuizPath): Promise<never> {
  const [item] = await db
    .select({ id: contentItems.id })
    .from(contentItems)
    .innerJoin(modules, eq(modules.id, contentItems.module_id))
    .innerJoin(courses, eq(courses.id, contentItems.course_id))
    .innerJoin(courseOfferings, eq(courseOfferings.course_id, courses.id))
    .where(
      and(
        eq(contentItems.id, path.content_item_id),
        eq(courseOfferings.id, path.offering_id),
        sql`exists (select from content_types where id = ${contentItems.content_type_id} and name = 'quiz')`,
        contentVisibleTo(actor),
      ),
    );
  throw item ? forbidden() : notFound("Quiz");
}
