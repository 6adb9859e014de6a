import { contentTypes } from "../../schema/db/content-types.ts";
import { countries } from "../../schema/db/countries.ts";
import { domains } from "../../schema/db/domains.ts";
import { moduleTemplates } from "../../schema/db/module-templates.ts";
import { verbsOf } from "./verbs.ts";

/** In use by its universities. */
export const countryVerbs = verbsOf(countries, "Country");

/** In use by its subjects. */
export const domainVerbs = verbsOf(domains, "Domain");

/** In use by the content of that type. */
export const contentTypeVerbs = verbsOf(contentTypes, "Content type");

/** Never in use: modules outlive the template that they began as. */
export const moduleTemplateVerbs = verbsOf(moduleTemplates, "Module template");
