import { moduleTemplates } from "../../../schema/db/courses/module-templates.ts";
import { searchAndSortBy } from "../../platform/db/query/search-and-sort.ts";
import { universityOrPlatformCrudFactory } from "./owned-crud.ts";

/** Deletion is always allowed: modules outlive their template. */
export const moduleTemplateCrudFor = universityOrPlatformCrudFactory(
  moduleTemplates,
  "Module template",
  "module-template",
  searchAndSortBy(moduleTemplates.search_text, "title"),
);
