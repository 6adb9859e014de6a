import * as z from "zod";
import { Id, IdText, Instant, title, webAddress } from "../platform/fields.ts";
import { BooleanText, listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { looks } from "./looks.ts";
import { TimeZone } from "./users.ts";

/** A university's color as lower-case `#rrggbb`; no other CSS can be set. */
const Color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, "Input should be a color such as #3457d5")
  .transform((color) => color.toLowerCase());

const displayName = {
  example: "Example",
  description: "Name shown instead of the platform's name; null for `name`",
};

const color = {
  example: "#7a1f3d",
  description: "Base color from which `shades` are computed; null for the platform's",
};

const writableFields = {
  name: title(255).meta({ example: "Example University" }),
  short_code: title(64).meta({ description: "Unique among all universities", example: "EXU" }),
  country_id: Id,
  time_zone: TimeZone,
  website_url: webAddress(512).nullable().meta({ example: "https://www.example.edu" }),
  is_active: z.boolean(),
  display_name: title(60).nullable().meta(displayName),
  color: Color.nullable().meta(color),
};

const requires_own_provider = z.boolean().meta({
  description: "Whether people have rights in it only after a sign-in by its own identity provider",
  example: false,
});

export const UniversityCreate = z
  .object(writableFields)
  .partial({ time_zone: true, website_url: true, is_active: true, display_name: true, color: true })
  .meta({ id: "UniversityCreate" });

export const UniversityUpdate = z
  .object({ ...writableFields, requires_own_provider })
  .partial()
  .meta({ id: "UniversityUpdate" });

/** A tenant. Inactive ones stay listed. */
export const University = z
  .object({
    id: Id,
    name: z.string(),
    short_code: z.string(),
    country_id: Id,
    time_zone: z.string(),
    website_url: z.string().nullable(),
    is_active: z.boolean(),
    requires_own_provider,
    display_name: z.string().nullable().meta(displayName),
    color: z.string().nullable().meta(color),
    ...looks,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "University" });

export const UniversityQuery = listQuery({
  q: searchIn("the name or the short code"),
  country_id: IdText.optional(),
  is_active: BooleanText.optional(),
  sort: sortedBy(["id", "name", "short_code"]),
});

export type UniversityCreate = z.output<typeof UniversityCreate>;
export type UniversityUpdate = z.output<typeof UniversityUpdate>;
export type University = z.input<typeof University>;
export type UniversityQuery = z.output<typeof UniversityQuery>;
