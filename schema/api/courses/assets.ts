import * as z from "zod";
import {
  Id,
  IdText,
  Instant,
  JsonObject,
  storedJsonObject,
  title,
  WideId,
  webAddress,
} from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const writableFields = {
  url: webAddress(1024).meta({
    example: "https://cdn.example.edu/circuit.png",
    description: "Address of the asset; send `file_id` instead for an uploaded file",
  }),
  file_id: WideId.meta({ description: "A file of purpose ASSET of the same university, instead of `url`" }),
  asset_type: title(32).meta({ description: "Such as image, pdf, audio or other", example: "image" }),
  meta_json: storedJsonObject(16).nullable(),
};

const university = Id.nullable().meta({
  description: "The owner; null for assets that the platform shares with all universities",
});

const oneOfThem = ({ url, file_id }: { url?: unknown; file_id?: unknown }): boolean =>
  (url === undefined) !== (file_id === undefined);

const notBoth = ({ url, file_id }: { url?: unknown; file_id?: unknown }): boolean =>
  url === undefined || file_id === undefined;

export const AssetCreate = z
  .object({ ...writableFields, university_id: university })
  .partial({ meta_json: true, university_id: true, url: true, file_id: true })
  .refine(oneOfThem, { message: "One of url and file_id should be given", path: ["url"] })
  .meta({
    id: "AssetCreate",
    example: { url: "https://cdn.example.edu/circuit.png", asset_type: "image", university_id: 1 },
  });

export const AssetUpdate = z
  .object(writableFields)
  .partial()
  .refine(notBoth, { message: "One of url and file_id should be given", path: ["url"] })
  .meta({ id: "AssetUpdate", example: { asset_type: "image" } });

export const Asset = z
  .object({
    id: Id,
    university_id: university,
    url: z.string().meta({ description: "For uploaded files, the address of their content" }),
    file_id: WideId.nullable().meta({
      example: null,
      description: "The uploaded file; null for an external address",
    }),
    file_name: z.string().nullable().meta({ example: null, description: "The file's name" }),
    asset_type: z.string(),
    meta_json: JsonObject.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Asset" });

export const AssetQuery = listQuery({
  q: searchIn("the address or the file's name"),
  university_id: IdText.optional(),
  asset_type: title(32).optional(),
  sort: sortedBy(["id"]),
});

export type AssetCreate = z.output<typeof AssetCreate>;
export type AssetUpdate = z.output<typeof AssetUpdate>;
export type Asset = z.input<typeof Asset>;
export type AssetQuery = z.output<typeof AssetQuery>;
