import { getTableColumns, sql } from "drizzle-orm";
import type { ContentItem } from "../../../schema/api/courses/content.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsDecodedByColumns } from "../../platform/db/query/rows.ts";
import { lockCourseForOutlineChangeSql, translateOutlineRefusal } from "../modules/outline-writes.ts";
import { contentItemForReader, findContentItem, staffOnlyContentReadCondition } from "./items.ts";

/**
 * Copies an item with everything attached, behind itself and inactive, in one statement. 404 if the caller
 * cannot see it, 403 if they may not write in its course.
 */
export async function copyContentItem(db: Db, actor: Actor, itemId: number): Promise<ContentItem> {
  const course = lockCourseForOutlineChangeSql(
    actor,
    "content:write",
    sql`(select course_id from content_items where id = ${itemId})`,
  );
  const [copied] = await translateOutlineRefusal(
    rowsDecodedByColumns(
      db,
      {
        ...getTableColumns(contentItems),
        type_name: contentTypes.name,
        type_label: contentTypes.label,
        // Decoded as a boolean.
        sees_all: contentItems.is_active,
      },
      sql`
        select copy.*, content_types.name as type_name, content_types.label as type_label, ${staffOnlyContentReadCondition(actor)} as sees_all
        from (select ${course} as id) as writable
        join courses on courses.id = writable.id
        cross join lateral copy_content_item_after_itself(${itemId}) as copy
        join content_types on content_types.id = copy.content_type_id`,
    ),
  );
  if (!copied) throw (await findContentItem(db, actor, itemId)) ? forbidden() : notFound("Content item");
  const { type_name: name, type_label: label, sees_all, ...item } = copied;
  return contentItemForReader({ ...item, content_type: { name, label } }, sees_all);
}
