import * as z from "zod";
import { anyone, may } from "../../lib/auth/guards.ts";
import { countryVerbs } from "../../lib/catalog/reference-data.ts";
import { Country, CountryCreate, CountryUpdate } from "../../schema/api/countries.ts";
import { usualSlice } from "../../schema/api/fields.ts";
import { resource } from "./resource.ts";

export const countries = resource({
  path: "/countries",
  id: "country_id",
  one: "a country",
  many: "countries",
  readers: anyone,
  writers: may("reference-data:write"),
  shape: Country,
  create: CountryCreate,
  update: CountryUpdate,
  query: z.object(usualSlice),
  verbs: countryVerbs,
});
