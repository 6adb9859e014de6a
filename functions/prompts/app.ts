import { group } from "../../lib/http/endpoint.ts";
import { impact, labelHistory, setLabels } from "./labels.ts";
import { labels, linkOptions, names } from "./lookup.ts";
import { create, list, preview, read, remove, setTags } from "./prompts.ts";
import { list as listVersions, remove as removeVersion } from "./versions.ts";

export const prompts = group("Prompts", "/prompts", [
  list,
  create,
  labels,
  names,
  linkOptions,
  preview,
  read,
  remove,
  setTags,
  labelHistory,
  impact,
  listVersions,
  removeVersion,
  setLabels,
]);
