import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as budgets from "../../../lib/tutor/budgets/tutor-budgets.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { TutorBudget, TutorLimits } from "../../../schema/api/tutor/tutor-budgets.ts";

const path = "/{university_id}/tutor-budget";
const params = pathIds("university_id");

export const getTutorBudget = endpoint(
  {
    id: "getTutorBudget",
    method: "get",
    path,
    summary: "Read what the tutor may cost a university",
    description:
      "Stored answers, and those that another learner's call makes, count for nothing. What is over the budget is a 429.",
    ...may("tutor-budget:read"),
    scope: "reports:read",
    params,
    ...ok(TutorBudget, "The limits, and what they come to"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => budgets.getTutorBudget(deps.db, actor, params.university_id, deps.config),
);

export const updateTutorBudget = endpoint(
  {
    id: "updateTutorBudget",
    method: "put",
    path,
    summary: "Set what a university itself lets its tutor cost",
    description: "A limit that is over what the platform allows has no effect.",
    ...may("tutor-budget:write"),
    params,
    body: TutorLimits,
    ...ok(TutorBudget, "The limits, and what they come to"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) =>
    budgets.setOwnLimits(deps.db, actor, params.university_id, body, deps.config),
);

export const grantTutorBudget = endpoint(
  {
    id: "grantTutorBudget",
    method: "put",
    path: `${path}/granted`,
    summary: "Set what the platform lets a university's tutor cost",
    description: "In place of the platform's settings; null leaves it at those.",
    ...may("tutor-budget:grant"),
    params,
    body: TutorLimits,
    ...ok(TutorBudget, "The limits, and what they come to"),
    fails: [404],
  },
  ({ deps, params, body }) => budgets.grantLimits(deps.db, params.university_id, body, deps.config),
);
