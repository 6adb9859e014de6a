import { moduleTemplates } from "../../../schema/db/courses/module-templates.ts";
import { listedBy } from "../../platform/db/query/search-and-sort.ts";
import { ownedCrudOf } from "./owned.ts";

/** Deletion is always allowed: modules outlive their template. */
export const moduleTemplatesFor = ownedCrudOf(
  moduleTemplates,
  "Module template",
  "module-template",
  listedBy(moduleTemplates.search_text, "title"),
);
