import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { configBounds } from "../../../lib/tutor/prompts/config.ts";
import * as lookup from "../../../lib/tutor/prompts/lookup.ts";
import * as preview from "../../../lib/tutor/prompts/preview.ts";
import * as resolve from "../../../lib/tutor/prompts/resolve.ts";
import * as tags from "../../../lib/tutor/prompts/tags.ts";
import * as versions from "../../../lib/tutor/prompts/versions.ts";
import {
  Prompt,
  PromptCreate,
  PromptPage,
  PromptPath,
  PromptPreview,
  PromptPreviewRequest,
  PromptQuery,
  PromptSelector,
  PromptSummary,
  PromptTags,
  ResolvedPrompt,
  Success,
} from "../../../schema/api/tutor/prompts.ts";

export const listPrompts = endpoint(
  {
    id: "listPrompts",
    method: "get",
    path: "/",
    summary: "List prompts",
    ...permittedTo("prompt:read"),
    query: PromptQuery,
    ...ok(PromptPage, "Prompts by name, with versions, labels and tags"),
  },
  ({ deps, query }) => lookup.listPrompts(deps.db, query),
);

export const createPrompt = endpoint(
  {
    id: "createPrompt",
    method: "post",
    path: "/",
    summary: "Create a prompt version",
    description:
      "Creates a prompt, or the next version of an existing one. For an existing one, `If-Match` takes " +
      "its `name_version`.",
    ...permittedTo("prompt:write", "prompt:protected-label"),
    body: PromptCreate,
    versioned: PromptSummary,
    ...created(Prompt, "The new version"),
    fails: [400, 404],
  },
  ({ deps, actor, body, ifMatch }) =>
    versions.createVersion(
      deps.db,
      actor,
      body,
      {
        protectedLabels: deps.config.PROTECTED_PROMPT_LABELS,
        bounds: configBounds(deps.config),
        tutorPrompt: deps.config.TUTOR_PROMPT_NAME,
      },
      ifMatch,
    ),
);

export const previewPrompt = endpoint(
  {
    id: "previewPrompt",
    method: "post",
    path: "/preview",
    summary: "Preview a prompt",
    ...permittedTo("prompt:read"),
    body: PromptPreviewRequest,
    ...ok(PromptPreview, "The text with references inlined and variables filled; nothing is stored"),
    fails: [400],
  },
  ({ deps, body }) => preview.previewPrompt(deps.db, body),
);

export const getPrompt = endpoint(
  {
    id: "getPrompt",
    method: "get",
    path: "/{prompt_name}",
    summary: "Read a prompt version",
    description:
      "Select it by `version` or `label`; the default is the label `production`. References are inlined.",
    ...permittedTo("prompt:read"),
    params: PromptPath,
    query: PromptSelector,
    ...ok(ResolvedPrompt, "The version"),
    fails: [400, 404],
  },
  ({ deps, params, query }) => resolve.getPrompt(deps.db, params.prompt_name, query),
);

export const deletePrompt = endpoint(
  {
    id: "deletePrompt",
    method: "delete",
    path: "/{prompt_name}",
    summary: "Delete a prompt with all versions",
    description: "Send the `name_version` in `If-Match`.",
    ...permittedTo("prompt:delete"),
    params: PromptPath,
    versioned: PromptSummary,
    ...noContent("Deleted"),
    fails: [400, 404],
  },
  ({ deps, actor, params, ifMatch }) =>
    versions.deleteVersions(deps.db, actor, params.prompt_name, null, ifMatch),
);

export const updatePromptTags = endpoint(
  {
    id: "updatePromptTags",
    method: "patch",
    path: "/{prompt_name}/tags",
    summary: "Set the tags of a prompt",
    description: "Applies to all versions. Send the `name_version` in `If-Match`.",
    ...permittedTo("prompt:write"),
    params: PromptPath,
    body: PromptTags,
    versioned: PromptSummary,
    ...ok(Success, "The tags are set"),
    fails: [404],
  },
  ({ deps, params, body, ifMatch }) => tags.setTags(deps.db, params.prompt_name, body.tags, ifMatch),
);
