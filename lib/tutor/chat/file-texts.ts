import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";

/**
 * The source bytes and the text's length in characters. `content` is its beginning if an answer is to be
 * generated; null if the bytes are gone.
 */
export const FileText = z.object({
  file_id: z.int(),
  name: z.string(),
  sha256: z.string(),
  characters: z.int(),
  content: z.string().nullish(),
});

export type FileText = z.output<typeof FileText>;

/** The texts of an item's files that learners see, as JSON; null for none. */
export const itemFileTextsJsonQuery = (item: SQLWrapper): SQL => sql`
  select json_agg(row_to_json(one)) from (
    select distinct on (file.id) file.id as file_id, file.name, object.sha256, told.characters
    from (select ${item}::int as id) as shown
    join file_uses as used on used.content_item_id = shown.id and not used.is_for_staff
    join files as file on file.id = used.file_id and file.state = 'ready'
    join stored_objects as object on object.id = file.object_id
    join file_texts as told on told.object_id = object.id and told.characters > 0
    order by file.id
  ) as one`;
