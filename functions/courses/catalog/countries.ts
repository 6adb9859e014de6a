import { countryCrud } from "../../../lib/courses/catalog/reference-data.ts";
import { anyone, permittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  Country,
  CountryCreate,
  CountryQuery,
  CountryUpdate,
} from "../../../schema/api/identity/countries.ts";
import { createCrudEndpoints } from "./resource.ts";

export const { listCountries, createCountry, getCountry, updateCountry, deleteCountry } = createCrudEndpoints(
  { one: "Country", many: "Countries" },
  {
    path: "/countries",
    id: "country_id",
    readers: anyone,
    writers: permittedTo("reference-data:write"),
    shape: Country,
    create: CountryCreate,
    update: CountryUpdate,
    query: CountryQuery,
    constraints: { written: ["already_taken"], deleted: ["still_in_use"] },
    crud: () => countryCrud,
  },
);
