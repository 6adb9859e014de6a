import * as z from "zod";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as lookup from "../../../lib/tutor/prompts/lookup.ts";
import { listOf, pagination } from "../../../schema/api/platform/fields.ts";
import { PromptLinkOption, PromptNameId } from "../../../schema/api/tutor/prompts.ts";

const query = z.object(pagination);

export const listPromptLabels = endpoint(
  {
    id: "listPromptLabels",
    method: "get",
    path: "/labels",
    summary: "List prompt labels",
    ...permittedTo("prompt:read"),
    query,
    ...ok(listOf(z.string()), "Labels in use, sorted"),
  },
  ({ deps, query }) => lookup.listLabels(deps.db, query),
);

export const listPromptNames = endpoint(
  {
    id: "listPromptNames",
    method: "get",
    path: "/names",
    summary: "List prompt names",
    ...permittedTo("prompt:read"),
    query,
    ...ok(listOf(PromptNameId), "Names, sorted, with the id of the newest version"),
  },
  ({ deps, query }) => lookup.listNames(deps.db, query),
);

export const listPromptLinkOptions = endpoint(
  {
    id: "listPromptLinkOptions",
    method: "get",
    path: "/link-options",
    summary: "List targets for prompt references",
    ...permittedTo("prompt:read"),
    query,
    ...ok(listOf(PromptLinkOption), "Versions and labels by name"),
  },
  ({ deps, query }) => lookup.listLinkOptions(deps.db, query),
);
