import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";

/**
 * A file of an item that has a text: by the bytes that this was read from, and how many characters it has. `content` is its
 * beginning where an answer is to be made, and null where the bytes have gone since.
 */
export const FileText = z.object({
  file_id: z.int(),
  name: z.string(),
  sha256: z.string(),
  characters: z.int(),
  content: z.string().nullish(),
});

export type FileText = z.output<typeof FileText>;

/** Those of an item as JSON; null where none has a text. */
export const fileTextsOf = (item: SQLWrapper): SQL =>
  sql`select json_agg(row_to_json(told)) from file_texts_of_item(${item}) as told`;
