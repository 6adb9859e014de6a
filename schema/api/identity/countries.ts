import * as z from "zod";
import { Id, text, title } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

/** A two-letter code, converted to upper case. */
const IsoCode = z
  .string()
  .length(2, { abort: true })
  .regex(/^[A-Za-z]{2}$/, "Input should be the two letters of ISO 3166-1 alpha-2")
  .toUpperCase()
  .meta({ description: "ISO 3166-1 alpha-2 code, unique", example: "GB" });

const writableFields = {
  iso_code: IsoCode.meta({ example: "XK" }),
  name: title(255).meta({ example: "Kosovo" }),
  region_name: text(255).nullable().meta({ example: "Europe" }),
};

export const CountryCreate = z
  .object(writableFields)
  .partial({ region_name: true })
  .meta({ id: "CountryCreate" });

export const CountryUpdate = z.object(writableFields).partial().meta({ id: "CountryUpdate" });

export const Country = z
  .object({ id: Id, iso_code: z.string(), name: z.string(), region_name: z.string().nullable() })
  .meta({ id: "Country" });

export const CountryQuery = listQuery({
  q: searchIn("the name or the code"),
  sort: sortedBy(["id", "name", "iso_code"]),
});

export type CountryCreate = z.output<typeof CountryCreate>;
export type CountryUpdate = z.output<typeof CountryUpdate>;
export type Country = z.input<typeof Country>;
