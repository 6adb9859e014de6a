/*
 * Prints the SQL that fills `countries` from the package countries-list: the 249 countries of ISO 3166-1. The
 * first migrations contain its output. Run it again for a migration that follows the standard: node
 * scripts/build/generate-reference-data.ts
 */
import { continents, countries, type TCountryCode } from "countries-list";

/** Codes in the package that the standard assigns to no country. */
const notAssigned: readonly string[] = ["AC", "TA", "XK"];

/** The package uses a part of the country's name, or a former one. */
const nameCorrections: Partial<Record<TCountryCode, string>> = {
  AX: "Åland Islands",
  BL: "Saint Barthélemy",
  BQ: "Bonaire, Sint Eustatius and Saba",
  CW: "Curaçao",
  RE: "Réunion",
  SH: "Saint Helena, Ascension and Tristan da Cunha",
  TL: "Timor-Leste",
};

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const codes = Object.keys(countries) as TCountryCode[];
const rows = codes
  .filter((code) => !notAssigned.includes(code))
  .toSorted()
  .map((code) => {
    const { name, continent } = countries[code];
    return `  (${[code, nameCorrections[code] ?? name, continents[continent]].map(quoted).join(", ")})`;
  });

if (rows.length !== 249) throw new Error(`ISO 3166-1 has 249 countries, but the package has ${rows.length}`);
console.log(`INSERT INTO "countries" ("iso_code", "name", "region_name") VALUES\n${rows.join(",\n")}`);
console.log(`ON CONFLICT DO NOTHING;`);
