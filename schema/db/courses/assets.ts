import { sql } from "drizzle-orm";
import { index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { files } from "../files/files.ts";
import { universities } from "../identity/universities.ts";
import { bigReference, id, jsonObject, reference, timestamps } from "../platform/columns.ts";

/** A file that content may link to: an image, PDF or recording. Global without a university. */
export const assets = pgTable(
  "assets",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade"),
    /** For files in our store, the path of the content below the API's prefix. */
    url: varchar({ length: 1024 }).notNull(),
    file_id: bigReference(() => files.id, "restrict"),
    file_name: varchar({ length: 255 }),
    asset_type: varchar({ length: 32 }).notNull(),
    meta_json: jsonObject(),
    search_text: text().generatedAlwaysAs(sql`searched(url)`),
    ...timestamps(),
  },
  (table) => [
    index().on(table.university_id, table.id),
    index().on(table.file_id),
    index("assets_search_index").using("gin", sql`${table.search_text} gin_trgm_ops`),
  ],
);
