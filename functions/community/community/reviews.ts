import * as reviews from "../../../lib/community/reviews.ts";
import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publishedOr, signedIn } from "../../../lib/identity/auth/guards.ts";
import {
  CourseReview,
  CourseReviewPage,
  CourseReviewQuery,
  CourseReviewWrite,
} from "../../../schema/api/community/reviews.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const listCourseReviews = endpoint(
  {
    id: "listCourseReviews",
    method: "get",
    path: "/courses/{course_id}/reviews",
    summary: "List the reviews of a course",
    description: "Whose each is stays null for people whom the caller may not see.",
    ...publishedOr("course:read-unpublished"),
    params: pathIds("course_id"),
    query: CourseReviewQuery,
    ...ok(CourseReviewPage, "The average of all, and a page of them"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => reviews.listReviews(deps.db, actor, params.course_id, query),
);

export const writeCourseReview = endpoint(
  {
    id: "writeCourseReview",
    method: "put",
    path: "/offerings/{offering_id}/review",
    summary: "Review a course in the offering that one takes",
    description:
      "For those who have learned 20 % of it, or completed it. One review each: said again, it replaces what was said.",
    ...signedIn,
    params: pathIds("offering_id"),
    body: CourseReviewWrite,
    ...ok(CourseReview, "The review"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    reviews.writeReview(deps.db, actor, params.offering_id, body, deps.now()),
);

export const deleteCourseReview = endpoint(
  {
    id: "deleteCourseReview",
    method: "delete",
    path: "/offerings/{offering_id}/review",
    summary: "Take back one's review",
    ...signedIn,
    params: pathIds("offering_id"),
    ...noContent("There is no review of one's own any more"),
    fails: [404],
  },
  ({ deps, actor, params }) => reviews.deleteReview(deps.db, actor, params.offering_id),
);
