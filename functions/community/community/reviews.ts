import * as reviews from "../../../lib/community/reviews.ts";
import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicOrPermittedTo, signedIn } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List reviews of a course",
    description: "Authors not visible to the caller are null.",
    ...publicOrPermittedTo("course:read-unpublished"),
    params: pathIds("course_id"),
    query: CourseReviewQuery,
    ...ok(CourseReviewPage, "The average rating, and a page of reviews"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => reviews.listReviews(deps.db, actor, params.course_id, query),
);

export const writeCourseReview = endpoint(
  {
    id: "writeCourseReview",
    method: "put",
    path: "/offerings/{offering_id}/review",
    summary: "Write a course review",
    description:
      "Requires 20 % progress in the course or its completion. One review per person: the next call " +
      "changes it.",
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
    summary: "Delete the caller's review",
    ...signedIn,
    params: pathIds("offering_id"),
    ...noContent("Deleted"),
    fails: [404],
  },
  ({ deps, actor, params }) => reviews.deleteReview(deps.db, actor, params.offering_id),
);
