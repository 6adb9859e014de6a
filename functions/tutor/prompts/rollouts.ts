import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { createRollout } from "../../../lib/tutor/rollouts/create.ts";
import { promoteRollout, stopRollout } from "../../../lib/tutor/rollouts/end.ts";
import { getRollout, listRollouts } from "../../../lib/tutor/rollouts/read.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";
import { PromptPath } from "../../../schema/api/tutor/prompts.ts";
import {
  Rollout,
  RolloutCreate,
  RolloutPath,
  RolloutQuery,
  RolloutReport,
} from "../../../schema/api/tutor/rollouts.ts";

const all = "/{prompt_name}/rollouts";
const one = `${all}/{rollout_id}`;

export const createPromptRollout = endpoint(
  {
    id: "createPromptRollout",
    method: "post",
    path: all,
    summary: "Let some learners meet a version of the tutor's prompt before the others",
    description:
      "For whoever may move the label `production` of the prompt, but not the version's author. Takes a finished STEP trial " +
      "of the version against the one that is labelled `production`, over 50 places or all that a course has, and a finished " +
      "LEAK trial, both of the texts as they stand, references inlined: else a 400 that says which is missing. Conversations " +
      "that begin from now on get an arm by a hash of the rollout and the unit, and keep it; those of before stay with " +
      "`production`. It stops by itself when the candidate's arm is worse than `stop` allows, and ends when `production` moves. " +
      "Until then neither version can be deleted. 409 where a rollout of the prompt is running already.",
    ...may("prompt:write", "prompt:protected-label"),
    params: PromptPath,
    body: RolloutCreate,
    ...created(Rollout, "The rollout, which is running"),
    fails: [400, 404, 409],
  },
  ({ deps, actor, params, body }) => createRollout(deps.db, actor, params.prompt_name, body, deps.config),
);

export const listPromptRollouts = endpoint(
  {
    id: "listPromptRollouts",
    method: "get",
    path: all,
    summary: "List the rollouts of a prompt",
    description: "All, for whoever may move `production`; those of their own versions, for an author.",
    ...may("prompt:read", "prompt:protected-label"),
    params: PromptPath,
    query: RolloutQuery,
    ...ok(listOf(Rollout), "Rollouts, newest first"),
  },
  ({ deps, actor, params, query }) => listRollouts(deps.db, actor, params.prompt_name, query, deps.config),
);

export const getPromptRollout = endpoint(
  {
    id: "getPromptRollout",
    method: "get",
    path: one,
    summary: "Read how the two arms of a rollout compare",
    description: "For those who see it in the list. Counts are of the newest 2000 conversations of each arm.",
    ...may("prompt:read", "prompt:protected-label"),
    params: RolloutPath,
    ...ok(RolloutReport, "The rollout with its report"),
    fails: [404],
  },
  ({ deps, actor, params }) => getRollout(deps.db, actor, params, deps.config),
);

export const promotePromptRollout = endpoint(
  {
    id: "promotePromptRollout",
    method: "post",
    path: `${one}/promote`,
    summary: "Label the candidate of a rollout `production`",
    description:
      "For those who may begin one. Ends the rollout, and begins to make the answers at which a class is expected, in each " +
      "topic where the version before was heard. 409 where the rollout has ended.",
    ...may("prompt:write", "prompt:protected-label"),
    params: RolloutPath,
    ...ok(Rollout, "The rollout, which is promoted"),
    fails: [400, 404, 409],
  },
  ({ deps, actor, params }) => promoteRollout(deps, actor, params),
);

export const stopPromptRollout = endpoint(
  {
    id: "stopPromptRollout",
    method: "post",
    path: `${one}/stop`,
    summary: "Stop a rollout",
    description:
      "For whoever may move `production`. The candidate's conversations go on with `production` at their next turn, as " +
      "they are. 409 where the rollout has ended.",
    ...may("prompt:write", "prompt:protected-label"),
    params: RolloutPath,
    ...ok(Rollout, "The rollout, which has stopped"),
    fails: [404, 409],
  },
  ({ deps, actor, params }) => stopRollout(deps, actor, params),
);
