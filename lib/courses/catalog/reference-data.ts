import { domains } from "../../../schema/db/courses/domains.ts";
import { countries } from "../../../schema/db/identity/countries.ts";
import { createSortKey } from "../../platform/db/query/page.ts";
import { searchAndSortBy, searchTextWithCodeSql } from "../../platform/db/query/search-and-sort.ts";
import { crudOf } from "./crud.ts";

/** In use by its universities. */
export const countryCrud = crudOf(
  countries,
  "Country",
  searchAndSortBy(searchTextWithCodeSql(countries.name, countries.iso_code), "name", {
    iso_code: [createSortKey(countries.iso_code, "text")],
  }),
);

/** In use by its subjects. */
export const subjectDomainCrud = crudOf(
  domains,
  "Domain",
  searchAndSortBy(searchTextWithCodeSql(domains.name, domains.code), "name", { code: [domains.code] }),
);
