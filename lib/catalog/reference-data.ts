import { countries } from "../../schema/db/countries.ts";
import { domains } from "../../schema/db/domains.ts";
import { crudOf } from "./crud.ts";

/** In use by its universities. */
export const countryCrud = crudOf(countries, "Country");

/** In use by its subjects. */
export const domainCrud = crudOf(domains, "Domain");
