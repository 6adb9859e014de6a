import * as z from "zod";
import * as overrides from "../../../lib/assessment/quiz-overrides.ts";
import * as regrading from "../../../lib/assessment/regrade.ts";
import { listOfferingAccommodations as listAccommodationsThere } from "../../../lib/courses/offerings/accommodations.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import {
  QuizOverride,
  QuizOverrideUpdate,
  QuizRegrade,
} from "../../../schema/api/assessment/quiz-attempts.ts";
import { Accommodation, FewQuery } from "../../../schema/api/courses/accommodations.ts";
import { listOf, pagination, pathIds } from "../../../schema/api/platform/fields.ts";

const quiz = "/offerings/{offering_id}/quizzes/{content_item_id}";
const params = pathIds("offering_id", "content_item_id");

export const listQuizOverrides = endpoint(
  {
    id: "listQuizOverrides",
    method: "get",
    path: `${quiz}/overrides`,
    summary: "List what people are granted in a quiz",
    ...may("attempt:grade"),
    params,
    query: z.object(pagination),
    ...ok(listOf(QuizOverride), "Overrides by person"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => overrides.listOverrides(deps.db, actor, "quiz", params, query),
);

export const listOfferingAccommodations = endpoint(
  {
    id: "listOfferingAccommodations",
    method: "get",
    path: "/offerings/{offering_id}/accommodations",
    summary: "List who has more time of those in an offering",
    description:
      "As the university's office gave it, in numbers: every deadline there is worked out with them.",
    ...may("attempt:read"),
    params: pathIds("offering_id"),
    query: FewQuery,
    ...ok(listOf(Accommodation), "Numbers by person"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => listAccommodationsThere(deps.db, actor, params.offering_id, query),
);

export const grantQuizOverride = endpoint(
  {
    id: "grantQuizOverride",
    method: "put",
    path: `${quiz}/overrides/{user_id}`,
    summary: "Grant a learner more time, more attempts or another date in a quiz",
    description:
      "An attempt that is open gets its deadline by it. Null is what the quiz says. `max_attempts` holds in this offering, for the attempts in all offerings that are counted together. Nobody grants themselves anything: 403.",
    ...may("attempt:grade"),
    params: pathIds("offering_id", "content_item_id", "user_id"),
    body: QuizOverrideUpdate,
    ...ok(QuizOverride, "What the person is granted"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) =>
    overrides.grantOverride(deps.db, actor, "quiz", params, body, deps.now()),
);

export const regradeQuiz = endpoint(
  {
    id: "regradeQuiz",
    method: "post",
    path: `${quiz}/regrade`,
    summary: "Grade the closed attempts at a quiz anew",
    description:
      "By what their questions say now. What learners saw and answered stays, and so does an attempt of the caller's own, which others regrade.",
    ...may("attempt:grade"),
    params,
    ...ok(QuizRegrade, "How many attempts were graded anew"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => regrading.regradeQuiz(deps.db, actor, params, deps.now()),
);
