import { sql } from "drizzle-orm";
import * as z from "zod";
import type { RoleHolder } from "../../identity/rbac/scopes.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { importCartridgePermissionCondition } from "./imports.ts";
import { linkTargetOfResource, replacePlaceholdersWithItemLinks } from "./links.ts";

const Made = z.object({ identifier: z.string(), path: z.string().nullable(), item: z.int() });
const Linking = z.object({
  ...{ part: z.int(), number: z.int(), item: z.int(), version: z.int() },
  data: z.record(z.string(), z.unknown()),
});

/**
 * Runs once all parts are converted. Writes each item once, in order, in its own statement, if its version is
 * unchanged. Links that match nothing stay. A run after a crash continues.
 */
export async function resolveLinksBetweenItems(
  db: Db,
  one: { id: number; course_id: number },
  caller: RoleHolder,
  signal: AbortSignal,
): Promise<void> {
  let items: Map<string, number> | undefined;
  let passed = { number: -1, item: 0 };
  while (!signal.aborted) {
    const [next] = await rowsOf(
      db,
      Linking,
      sql`
        select part.id::float8 as part, part.number, item.id as item, item.version, item.data_json as data
        from cartridge_parts as part
        join content_items as item on item.id = any (part.content_item_ids) and item.course_id = ${one.course_id}
        where part.import_id = ${one.id} and item.data_json::text like '%](cartridge:%'
          and (part.number, item.id) > (${passed.number}::int, ${passed.item}::int) and exists (
          select from courses where courses.id = ${one.course_id} and ${importCartridgePermissionCondition(caller)})
        order by part.number, item.id limit 1`,
    );
    if (!next) return;
    items ??= await itemsOf(db, one.id);
    const { data, lost } = replacePlaceholdersWithItemLinks(next.data, (target) => items?.get(target));
    if (JSON.stringify(data) === JSON.stringify(next.data)) {
      passed = next;
      continue;
    }
    const { rows } = await db.execute(sql`
      with written as (
        update content_items set data_json = ${JSON.stringify(data)}::jsonb, version = version + 1, updated_at = service_now()
        where id = ${next.item} and version = ${next.version} returning id
      )
      update cartridge_parts as part set left_out = left_out || ${sql.param(lost)}::text[],
        outcome = case when ${lost.length} > 0 then 'partly' else outcome end
      from written where part.id = ${next.part} returning part.id`);
    // On a concurrent change the item is read again.
    if (rows.length > 0) passed = next;
  }
}

async function itemsOf(db: Db, importId: number): Promise<Map<string, number>> {
  const items = new Map<string, number>();
  for (const { identifier, path, item } of await rowsOf(
    db,
    Made,
    sql`select identifier, details ->> 'path' as path, content_item_ids[1] as item from cartridge_parts
        where import_id = ${importId} and content_item_ids <> '{}' order by number`,
  ))
    for (const target of [linkTargetOfResource(identifier), ...(path === null ? [] : [`file/${path}`])])
      if (!items.has(target)) items.set(target, item);
  return items;
}
