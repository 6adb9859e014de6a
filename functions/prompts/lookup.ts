import * as z from "zod";
import { may } from "../../lib/auth/guards.ts";
import { endpoint, ok } from "../../lib/http/endpoint.ts";
import { listLabels, listLinkOptions, listNames } from "../../lib/prompts/lookup.ts";
import { listOf, usualSlice } from "../../schema/api/fields.ts";
import { PromptLinkOption, PromptNameId } from "../../schema/api/prompts.ts";

const query = z.object(usualSlice);

export const labels = endpoint(
  {
    method: "get",
    path: "/labels",
    summary: "List the labels in use",
    ...may("prompt:read"),
    query,
    ...ok(listOf(z.string()), "Labels, sorted"),
  },
  ({ deps, query }) => listLabels(deps.db, query),
);

export const names = endpoint(
  {
    method: "get",
    path: "/names",
    summary: "List the names of all prompts",
    ...may("prompt:read"),
    query,
    ...ok(listOf(PromptNameId), "Names, sorted, with the id of the newest version"),
  },
  ({ deps, query }) => listNames(deps.db, query),
);

export const linkOptions = endpoint(
  {
    method: "get",
    path: "/link-options",
    summary: "List what a reference may lead to",
    ...may("prompt:read"),
    query,
    ...ok(listOf(PromptLinkOption), "By name, the versions and the labels"),
  },
  ({ deps, query }) => listLinkOptions(deps.db, query),
);
