import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  CourseReview,
  CourseReviewPage,
  type CourseReviewQuery,
  type CourseReviewWrite,
} from "../../schema/api/community/reviews.ts";
import { courseReviews } from "../../schema/db/community/reviews.ts";
import { visibleCourseCondition } from "../courses/course-permissions.ts";
import { storedProgressPercentSql } from "../courses/course-progress/progress-percent.ts";
import { moderateDiscussionsCondition, offeringsWithCoursesSql } from "../courses/discussion-access.ts";
import { badRequest, forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import {
  offeringInTokenReachCondition,
  personIdIfOfferingInTokenReachSql,
  tokenReachCondition,
} from "../identity/auth/token-reach.ts";
import { visiblePersonCondition } from "../identity/users/visibility.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { wireColumnsSql } from "../platform/db/query/json-rows.ts";
import { createPageQuery, descending, RowWithPageKey } from "../platform/db/query/page.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import type { PageBody } from "../platform/results/list-page.ts";

/** Of an active reviewer, in percent. */
const minProgressPercentToReview = 20;

/** Null if the token does not reach the offering. */
const readerOf = (actor: Actor | undefined): SQL =>
  sql`${actor ? personIdIfOfferingInTokenReachSql(actor, courseReviews.course_offering_id) : null}::int`;

const columnsFor = (actor: Actor | undefined, seesHidden: SQL): SQL =>
  wireColumnsSql({
    id: courseReviews.id,
    course_offering_id: courseReviews.course_offering_id,
    rating: courseReviews.rating,
    review_text: sql`case when not course_reviews.is_hidden or ${seesHidden}
      or course_reviews.user_id = ${readerOf(actor)} then course_reviews.review_text end`,
    is_hidden: courseReviews.is_hidden,
    created_at: courseReviews.created_at,
    updated_at: courseReviews.updated_at,
  });

/** From `users`, for callers who may see that person. */
const writerFor = (actor: Actor | undefined): SQL => {
  const isSeen = actor ? visiblePersonCondition(actor) : sql`false`;
  const isOwn = sql`users.id is not distinct from ${readerOf(actor)}`;
  return sql`
    case when ${isSeen} then users.id end as user_id, case when ${isSeen} then users.full_name end as user_name,
    ${isOwn} as is_own`;
};

function wantedBy(actor: Actor | undefined, own: boolean | undefined): SQL | undefined {
  if (own === undefined) return undefined;
  const id = readerOf(actor);
  return own ? sql`course_reviews.user_id = ${id}` : sql`course_reviews.user_id is distinct from ${id}`;
}

/** `review` is a row of `course_reviews`, or null. */
export const reviewJsonSql = (actor: Actor, review: SQL): SQL => sql`(
  select row_to_json(one) from (
    select ${columnsFor(actor, sql`true`)}, run.term_name, ${writerFor(actor)}
    from (select (${review}).*) as course_reviews
    join course_offerings as run on run.id = course_reviews.course_offering_id
    join users on users.id = course_reviews.user_id) as one)`;

const KeyedReviews = CourseReviewPage.extend({
  reviews: z.array(CourseReviewPage.shape.reviews.element.extend(RowWithPageKey.shape)),
});

/** Newest first; 404 for a course that the caller cannot see. */
export async function listReviews(
  db: ReadDb,
  actor: Actor | undefined,
  courseId: number,
  { own, ...part }: CourseReviewQuery,
): Promise<PageBody<CourseReviewPage>> {
  const wanted = and(sql`course_offerings.course_id = courses.id`, wantedBy(actor, own));
  const page = createPageQuery(part, [descending(courseReviews.created_at), descending(courseReviews.id)]);
  const reviews = sql`
    select ${columnsFor(actor, actor ? moderateDiscussionsCondition(actor) : sql`false`)}, course_offerings.term_name, ${writerFor(actor)},
           ${page.keyColumn}
    from course_reviews
    join course_offerings on course_offerings.id = course_reviews.course_offering_id
    join users on users.id = course_reviews.user_id
    ${page.tail(wanted)}`;
  const [found] = await rowsOf(
    db,
    KeyedReviews,
    sql`
      select rating_sum::float8 / nullif(rating.reviews, 0) as average_rating,
             coalesce(rating.reviews, 0) as review_count,
             coalesce((select json_agg(review) from (${reviews}) as review), '[]') as reviews
      from courses left join course_ratings as rating on rating.course_id = courses.id
      where courses.id = ${courseId} and ${visibleCourseCondition(actor)}`,
  );
  if (!found) throw notFound("Course");
  return page.part(found.reviews).within((reviews) => ({ ...found, reviews }));
}

/**
 * Writes or changes the caller's review; an absent text stays. 404: an offering they cannot see. 403: no active
 * or completed enrollment. 400: active, with less than `minProgressPercentToReview`.
 */
export async function writeReview(
  db: Db,
  actor: Actor,
  offeringId: number,
  { rating, review_text }: CourseReviewWrite,
  now: Date,
): Promise<CourseReview> {
  const at = now.toISOString();
  const text = review_text ?? null;
  const keepsText = sql`${review_text === undefined}::boolean`;
  const [review] = await rowsOf(
    db,
    CourseReview,
    sql`
      with allowed as materialized (
        select course_offerings.id
        from ${offeringsWithCoursesSql}
        join enrollments on enrollments.course_offering_id = course_offerings.id
          and enrollments.user_id = ${actor.id}
        where course_offerings.id = ${offeringId}
          and ${and(visibleCourseCondition(actor), tokenReachCondition(actor, sql`courses.university_id`))}
          and enrollments.is_admitted and (enrollments.completion_source <> 'self'
               or ${storedProgressPercentSql} >= ${minProgressPercentToReview})
      ), changed as (
        update course_reviews set rating = ${rating}, updated_at = ${at},
          review_text = case when ${keepsText} then course_reviews.review_text else ${text} end
        from allowed
        where course_reviews.user_id = ${actor.id} and course_reviews.course_offering_id = allowed.id
        returning course_reviews.*
      ), made as (
        insert into course_reviews (user_id, course_offering_id, rating, review_text, created_at, updated_at)
        select ${actor.id}::int, id, ${rating}::int, ${text}, ${at}::timestamptz, ${at}::timestamptz
        from allowed where not exists (select from changed)
        on conflict (user_id, course_offering_id) do update
          set rating = excluded.rating, updated_at = excluded.updated_at,
              review_text = case when ${keepsText} then course_reviews.review_text else excluded.review_text end
        returning *
      ), saved as (
        select * from changed union all select * from made
      )
      select ${columnsFor(actor, sql`false`)}, course_offerings.term_name, ${writerFor(actor)}
      from saved as course_reviews
      join course_offerings on course_offerings.id = course_reviews.course_offering_id
      join users on users.id = course_reviews.user_id`,
  );
  if (review) return review;
  await ensureEnrolled(db, actor, offeringId);
  throw badRequest("too_early_for_review", { percent: minProgressPercentToReview });
}

/** If there is one. 404 for an offering the caller cannot see. */
export async function deleteReview(db: Db, actor: Actor, offeringId: number): Promise<void> {
  const deleted = await db.execute(sql`
    delete from course_reviews
    where ${and(sql`user_id = ${actor.id}`, offeringInTokenReachCondition(actor, sql`course_offering_id`))}
      and course_offering_id = ${offeringId}`);
  if (deleted.rowCount === 0) await statusIn(db, actor, offeringId);
}

async function ensureEnrolled(db: Db, actor: Actor, offeringId: number): Promise<void> {
  const status = await statusIn(db, actor, offeringId);
  if (status !== "active" && status !== "completed") throw forbidden("not_enrolled");
}

/** Null without an enrollment; 404 if the caller cannot see the offering. */
async function statusIn(db: Db, actor: Actor, offeringId: number): Promise<string | null> {
  const [found] = await rowsOf(
    db,
    z.object({ status: z.string().nullable() }),
    sql`
      select enrollments.status
      from ${offeringsWithCoursesSql}
      left join enrollments on enrollments.course_offering_id = course_offerings.id
        and ${and(sql`enrollments.user_id = ${actor.id}`, tokenReachCondition(actor, sql`courses.university_id`))}
      where course_offerings.id = ${offeringId} and ${visibleCourseCondition(actor)}`,
  );
  if (!found) throw notFound("Offering");
  return found.status;
}
