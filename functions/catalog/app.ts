import { group } from "../../lib/http/endpoint.ts";
import * as assets from "./assets.ts";
import { contentTypes } from "./content-types.ts";
import { countries } from "./countries.ts";
import { domains } from "./domains.ts";
import { moduleTemplates } from "./module-templates.ts";
import { subjects } from "./subjects.ts";

export const catalog = group("Catalog", "", [
  ...countries,
  ...domains,
  ...subjects,
  ...contentTypes,
  ...moduleTemplates,
  assets.list,
  assets.create,
  assets.read,
  assets.update,
  assets.remove,
]);
