import { sql } from "drizzle-orm";
import * as z from "zod";
import { lostKeys } from "../../../lib/content/lost-keys.ts";
import type { Db } from "../../../lib/db/client.ts";
import { rowsOf } from "../../../lib/db/query/rows.ts";
import { advice, type Finding, ok } from "./finding.ts";

const Item = z.object({
  id: z.int(),
  title: z.string(),
  type: z.string(),
  data_json: z.record(z.string(), z.unknown()),
});

/** Items that are read at once, each of 256 KB at most. */
const batch = 50;

/** Items that are named one by one. */
const mostNamed = 50;

/** Keys of items that no content type knows: they are kept, and the staff's alone since learners' keys are marked. */
export async function checkItemKeys(db: Db): Promise<Finding> {
  const named: string[] = [];
  let found = 0;
  for (
    let items = await itemsAfter(db, 0);
    items.length > 0;
    items = await itemsAfter(db, items.at(-1)?.id ?? 0)
  )
    for (const { id, title, type, data_json } of items) {
      const keys = lostKeys(type, data_json);
      if (keys.length === 0) continue;
      found += 1;
      if (found <= mostNamed) named.push(`item ${id} (${title}): ${keys.join(", ")}`);
    }
  if (found === 0) return ok("learners are shown every key of the content items that they were shown before");
  const more = found > named.length ? `\n      and ${found - named.length} more` : "";
  return advice(
    `keys of content items are the staff's alone, as their types know none of these:\n      ${named.join("\n      ")}${more}`,
    "where learners are to see them, put them into keys that the type has, or into a type of your own",
  );
}

const itemsAfter = (db: Db, id: number) =>
  rowsOf(
    db,
    Item,
    sql`select item.id, item.title, type.name as type, item.data_json
        from content_items as item join content_types as type on type.id = item.content_type_id
        where item.id > ${id} and item.data_json <> '{}' order by item.id limit ${batch}`,
  );
