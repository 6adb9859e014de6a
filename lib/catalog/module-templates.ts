import { moduleTemplates } from "../../schema/db/module-templates.ts";
import { listedBy } from "../db/query/search-and-sort.ts";
import { ownedCrudOf } from "./owned.ts";

/** Never in use: modules outlive the template that they began as. */
export const moduleTemplatesFor = ownedCrudOf(
  moduleTemplates,
  "Module template",
  "module-template",
  listedBy(moduleTemplates.search_text, "title"),
);
