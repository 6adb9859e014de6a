import { and, eq, exists, type SQL, sql } from "drizzle-orm";
import { cacheNodes } from "../../schema/db/cache.ts";
import { contentItems } from "../../schema/db/content-items.ts";
import { contentTypes } from "../../schema/db/content-types.ts";
import { courses } from "../../schema/db/courses.ts";
import { modules } from "../../schema/db/modules.ts";
import type { Db } from "../db/client.ts";
import { fingerprintsOf } from "./content-context.ts";
import { topicColumns } from "./topic-columns.ts";

/**
 * Gives the answers that items stored under their keys of before the keys of today: else only a learner's visit does, and a
 * copy of what nobody visited since would find nothing. `copied` are those of `content_items`, beside their `courses`, which
 * the caller may copy.
 */
export async function renewKeys(db: Db, copied: SQL | undefined, mostMaterial: number): Promise<void> {
  const items = await db
    .select(topicColumns)
    .from(contentItems)
    .innerJoin(contentTypes, eq(contentTypes.id, contentItems.content_type_id))
    .innerJoin(modules, eq(modules.id, contentItems.module_id))
    .innerJoin(courses, eq(courses.id, contentItems.course_id))
    .where(
      and(
        copied,
        exists(
          db
            .select({ id: cacheNodes.id })
            .from(cacheNodes)
            .where(eq(cacheNodes.content_item_id, contentItems.id)),
        ),
      ),
    );
  if (items.length === 0) return;
  const keys = items.map((item) => ({ id: item.content_item_id, ...fingerprintsOf(item, mostMaterial) }));
  await db.execute(sql`
    select renew_keys(id, item_fingerprint, surroundings_fingerprint, content_fingerprint)
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as item
      (id int, item_fingerprint text, surroundings_fingerprint text, content_fingerprint text)
    order by id`);
}
