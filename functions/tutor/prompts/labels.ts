import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as impact from "../../../lib/tutor/prompts/impact.ts";
import * as labels from "../../../lib/tutor/prompts/labels.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";
import {
  Prompt,
  PromptImpact,
  PromptImpactQuery,
  PromptLabelEvent,
  PromptLabelHistoryQuery,
  PromptLabels,
  PromptPath,
  PromptVersionPath,
} from "../../../schema/api/tutor/prompts.ts";

export const updatePromptVersionLabels = endpoint(
  {
    id: "updatePromptVersionLabels",
    method: "patch",
    path: "/{prompt_name}/versions/{version}/labels",
    summary: "Set a prompt version's labels",
    description:
      "Labels of other versions move here. To roll back, set the label on the earlier version. Protected " +
      "labels require a platform_admin. Send the `name_version` in `If-Match`.",
    ...permittedTo("prompt:write", "prompt:protected-label"),
    params: PromptVersionPath,
    body: PromptLabels,
    versioned: Prompt,
    ...ok(Prompt, "The version with its labels"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body, ifMatch }) => {
    const { prompt_name: name, version } = params;
    const wanted = { name, version, labels: body.labels };
    return labels.setLabels(deps.db, actor, wanted, deps.config.PROTECTED_PROMPT_LABELS, ifMatch);
  },
);

export const listPromptLabelHistory = endpoint(
  {
    id: "listPromptLabelHistory",
    method: "get",
    path: "/{prompt_name}/label-history",
    summary: "List label changes of a prompt",
    ...permittedTo("prompt:read"),
    params: PromptPath,
    query: PromptLabelHistoryQuery,
    ...ok(listOf(PromptLabelEvent), "Changes, newest first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => labels.labelHistory(deps.db, actor, params.prompt_name, query),
);

export const getPromptImpact = endpoint(
  {
    id: "getPromptImpact",
    method: "get",
    path: "/{prompt_name}/impact",
    summary: "Preview a label change",
    ...permittedTo("prompt:read"),
    params: PromptPath,
    query: PromptImpactQuery,
    ...ok(PromptImpact, "The changes that moving the label would cause"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => {
    const move = { name: params.prompt_name, ...query };
    return impact.previewLabelMove(deps.db, actor, move, deps.config.TUTOR_PROMPT_NAME);
  },
);
