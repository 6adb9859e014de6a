import { countries } from "../../schema/db/countries.ts";
import { domains } from "../../schema/db/domains.ts";
import { moduleTemplates } from "../../schema/db/module-templates.ts";
import { verbsOf } from "./verbs.ts";

/** In use by its universities. */
export const countryVerbs = verbsOf(countries, "Country");

/** In use by its subjects. */
export const domainVerbs = verbsOf(domains, "Domain");

/** Never in use: modules outlive the template that they began as. */
export const moduleTemplateVerbs = verbsOf(moduleTemplates, "Module template");
