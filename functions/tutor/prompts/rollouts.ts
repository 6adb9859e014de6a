import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
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
    summary: "Start a prompt rollout",
    description:
      "Some learners receive the new version before others. The caller must have the right to move the " +
      "prompt's label `production`, and not be the version's author. Requires a finished STEP trial " +
      "against the `production` version, and a finished LEAK trial. The STEP trial must cover 50 nodes, " +
      "or all nodes of a course. Both must be of the current texts with references inlined; otherwise " +
      "returns 400 with the missing one. New conversations get an arm by a hash of the rollout and the " +
      "unit, and keep it; running ones stay with `production`. The rollout stops automatically if the " +
      "candidate is worse than `stop` allows, and ends when `production` moves. Until then, neither " +
      "version can be deleted. Returns 409 if the prompt has a running rollout.",
    ...permittedTo("prompt:write", "prompt:protected-label"),
    params: PromptPath,
    body: RolloutCreate,
    ...created(Rollout, "The running rollout"),
    fails: [400, 404, 409],
  },
  ({ deps, actor, params, body }) => createRollout(deps.db, actor, params.prompt_name, body, deps.config),
);

export const listPromptRollouts = endpoint(
  {
    id: "listPromptRollouts",
    method: "get",
    path: all,
    summary: "List rollouts of a prompt",
    description:
      "All rollouts for callers with the right to move `production`; authors see those of their own " +
      "versions.",
    ...permittedTo("prompt:read", "prompt:protected-label"),
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
    summary: "Read a rollout report",
    description:
      "For callers who see the rollout in the list. Counts cover the newest 2000 conversations of each arm.",
    ...permittedTo("prompt:read", "prompt:protected-label"),
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
    summary: "Promote the candidate of a rollout",
    description:
      "Moves the label `production` to the candidate and ends the rollout. The same callers may promote " +
      "it as may start it. Starts to pre-generate answers in each topic that used the former version. " +
      "Returns 409 if the rollout has ended.",
    ...permittedTo("prompt:write", "prompt:protected-label"),
    params: RolloutPath,
    ...ok(Rollout, "The promoted rollout"),
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
      "Requires the right to move `production`. The candidate's conversations continue with `production` " +
      "from their next turn. Returns 409 if the rollout has ended.",
    ...permittedTo("prompt:write", "prompt:protected-label"),
    params: RolloutPath,
    ...ok(Rollout, "The stopped rollout"),
    fails: [404, 409],
  },
  ({ deps, actor, params }) => stopRollout(deps, actor, params),
);
