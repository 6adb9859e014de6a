import * as z from "zod";
import { Id, IdText, Instant, JsonObject, storedJsonObject, title, webAddress } from "./fields.ts";
import { listQuery, searchIn, sortedBy } from "./search-and-sort.ts";

const writableFields = {
  url: webAddress(1024).meta({ example: "https://cdn.example.edu/circuit.png" }),
  asset_type: title(32).meta({ description: "Such as image, pdf, audio or other", example: "image" }),
  meta_json: storedJsonObject(16).nullable(),
};

const university = Id.nullable().meta({
  description: "Whose it is; null: the platform's, for all universities",
});

export const AssetCreate = z
  .object({ ...writableFields, university_id: university })
  .partial({ meta_json: true, university_id: true })
  .meta({ id: "AssetCreate" });

export const AssetUpdate = z.object(writableFields).partial().meta({ id: "AssetUpdate" });

/** A file that content may link to. */
export const Asset = z
  .object({
    id: Id,
    university_id: university,
    url: z.string(),
    asset_type: z.string(),
    meta_json: JsonObject.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Asset" });

export const AssetQuery = listQuery({
  q: searchIn("the address"),
  university_id: IdText.optional(),
  asset_type: title(32).optional(),
  sort: sortedBy(["id"]),
});

export type AssetCreate = z.output<typeof AssetCreate>;
export type AssetUpdate = z.output<typeof AssetUpdate>;
export type Asset = z.input<typeof Asset>;
export type AssetQuery = z.output<typeof AssetQuery>;
