import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as versions from "../../../lib/tutor/prompts/versions.ts";
import {
  PromptPath,
  PromptSummary,
  PromptVersionPage,
  PromptVersionPath,
  PromptVersionQuery,
} from "../../../schema/api/tutor/prompts.ts";

export const listPromptVersions = endpoint(
  {
    id: "listPromptVersions",
    method: "get",
    path: "/{prompt_name}/versions",
    summary: "List versions of a prompt",
    ...permittedTo("prompt:read"),
    params: PromptPath,
    query: PromptVersionQuery,
    ...ok(PromptVersionPage, "Versions, newest first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => versions.listVersions(deps.db, actor, params.prompt_name, query),
);

export const deletePromptVersion = endpoint(
  {
    id: "deletePromptVersion",
    method: "delete",
    path: "/{prompt_name}/versions/{version}",
    summary: "Delete a prompt version",
    description: "Send the `name_version` in `If-Match`.",
    ...permittedTo("prompt:delete"),
    params: PromptVersionPath,
    versioned: PromptSummary,
    ...noContent("Deleted"),
    fails: [400, 404],
  },
  ({ deps, actor, params, ifMatch }) =>
    versions.deleteVersions(deps.db, actor, params.prompt_name, params.version, ifMatch),
);
