import { accepted, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as warmings from "../../../lib/tutor/warming/warmings.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { Warming, WarmingCreate } from "../../../schema/api/tutor/warming.ts";

const params = pathIds("content_id");

export const warmContent = endpoint(
  {
    id: "warmContent",
    method: "post",
    path: "/{content_id}/warm",
    summary: "Make the tutor's answers of an item before a class comes",
    description:
      "Where three visits or more are expected, by what learners chose with the version, the text or the course of before, an answer is made, a level after the other and four at once, until `most_nodes` are made or the university's budget is used up. Whoever comes meanwhile joins what is being made. They are no learner's calls, count as no visits, and in an item of `tutor_mode` REVIEWED wait to be approved. With a `version` they are found once that one teaches; naming one takes the right to read prompts. The answer estimates what it takes at most.",
    ...may("content:write"),
    params,
    body: WarmingCreate,
    ...accepted(Warming, "The warming, which a job works on"),
    fails: [400, 403, 404, 503],
  },
  ({ deps, actor, params, body }) =>
    warmings.beginWarming(deps.db, actor, params.content_id, body, deps.config),
);

export const getContentWarming = endpoint(
  {
    id: "getContentWarming",
    method: "get",
    path: "/{content_id}/warm",
    summary: "Read how the last warming of an item stands",
    description: "For the course's staff. 404 where there was none.",
    ...may("tutor-answer:read"),
    params,
    ...ok(Warming, "The warming"),
    fails: [404],
  },
  ({ deps, actor, params }) => warmings.getWarming(deps.db, actor, params.content_id, deps.config.LLM_PRICES),
);
