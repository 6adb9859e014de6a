import { accepted, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as warmings from "../../../lib/tutor/warming/warmings.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { Warming, WarmingCreate } from "../../../schema/api/tutor/warming.ts";

const params = pathIds("content_id");

export const warmContent = endpoint(
  {
    id: "warmContent",
    method: "post",
    path: "/{content_id}/warm",
    summary: "Pre-generate tutor answers of an item",
    description:
      "Generates answers where at least three visits are expected from past choices of learners. It " +
      "works level by level with four concurrent calls, up to `most_nodes` or the university's " +
      "budget. Learners who arrive early subscribe to the running generations. The calls do not " +
      "count as learners' calls or visits. With `tutor_mode` REVIEWED, the answers await approval. " +
      "With a `version`, answers are used once that prompt version is in use; this requires the " +
      "right to read prompts. The response estimates the maximum cost.",
    ...permittedTo("content:write"),
    params,
    body: WarmingCreate,
    ...accepted(Warming, "The warming, run by a job"),
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
    summary: "Read the last warming",
    description: "Returns 404 if there was none.",
    ...permittedTo("tutor-answer:read"),
    params,
    ...ok(Warming, "The warming"),
    fails: [404],
  },
  ({ deps, actor, params }) => warmings.getWarming(deps.db, actor, params.content_id, deps.config.LLM_PRICES),
);
