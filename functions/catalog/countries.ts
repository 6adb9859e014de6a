import * as z from "zod";
import { anyone, may } from "../../lib/auth/guards.ts";
import { countryCrud } from "../../lib/catalog/reference-data.ts";
import { Country, CountryCreate, CountryUpdate } from "../../schema/api/countries.ts";
import { pagination } from "../../schema/api/fields.ts";
import { resource } from "./resource.ts";

export const { listCountries, createCountry, getCountry, updateCountry, deleteCountry } = resource(
  { one: "Country", many: "Countries" },
  {
    path: "/countries",
    id: "country_id",
    readers: anyone,
    writers: may("reference-data:write"),
    shape: Country,
    create: CountryCreate,
    update: CountryUpdate,
    query: z.object(pagination),
    crud: () => countryCrud,
  },
);
