import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { excerptLength, type TreeChange } from "../../../schema/api/tutor/chat.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { treeChanges } from "../../../schema/db/tutor/cache.ts";
import { treeChangeActions } from "../../../schema/enums.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { createPageQuery, descending, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";

export type ChangePath = { content_item_id: number; change_id: number };

const ChangeRow = RowWithPageKey.extend({
  id: z.int(),
  content_item_id: z.int(),
  action: z.enum(treeChangeActions),
  node_id: z.int(),
  path: z.array(z.string()),
  former_answer: z.string(),
  answer: z.string().nullable(),
  removed_count: z.int(),
  changed_by: z.int().nullable(),
  changed_at: StoredInstant,
  undone_by: z.int().nullable(),
  undone_at: StoredInstant.nullable(),
  can_undo: z.boolean(),
});

const Changes = z.object({ changes: z.array(ChangeRow) });

const columns: SQL = sql`
  id, content_item_id, action, node_id, path, left(joined_text(former -> 'chunks'), ${excerptLength}) as former_answer,
  left(answer, ${excerptLength}) as answer, removed_count, changed_by, changed_at, undone_by, undone_at,
  refusal_to_undo_tree_change(tree_changes) is null as can_undo`;

/** Staff's changes, newest first; 404 unless staff of the course. */
export async function listChanges(
  db: ReadDb,
  actor: Actor,
  contentItemId: number,
  query: Pagination,
): Promise<ListPage<TreeChange>> {
  const page = createPageQuery(query, [descending(treeChanges.id)]);
  const [found] = await rowsOf(
    db,
    Changes,
    sql`
    select coalesce((
      select json_agg(change order by id desc) from (
        select ${columns}, ${page.keyColumn} from tree_changes
        ${page.tail(sql`tree_changes.content_item_id = content_items.id`)}) as change), '[]') as changes
    from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${contentItemId} and ${coursePermissionCondition(actor, "tutor-answer:read")}`,
  );
  if (!found) throw notFound("Content item");
  return page.part(found.changes).map(asChange);
}

const refusals = {
  undone: "change_undone",
  changed: "change_not_last",
  forgotten: "change_forgotten",
} as const;

const Undone = z.object({ refusal: z.enum(["gone", "undone", "changed", "forgotten", "again"]).nullable() });

/**
 * Restores the text, the deleted subtree and the previous pin. 404 if there is none, 403 without the right to
 * write, 400 if it was undone, is not the node's last change, or its data was deleted.
 */
export async function undoChange(db: Db, actor: Actor, path: ChangePath): Promise<void> {
  const [row] = await rowsOf(
    db,
    Undone,
    sql`select undo_tree_change(${path.change_id}, content_items.id, ${actor.id}, ${requestAuditJson()}::jsonb) as refusal
        from content_items join courses on courses.id = content_items.course_id
        where content_items.id = ${path.content_item_id} and ${coursePermissionCondition(actor, "content:write")}`,
  );
  if (!row) throw await refusal(db, actor, path);
  if (row.refusal === "again") return undoChange(db, actor, path);
  if (row.refusal === "gone") throw notFound("Change");
  if (row.refusal) throw badRequest(refusals[row.refusal]);
}

async function refusal(db: Db, actor: Actor, { content_item_id }: ChangePath) {
  const seen = await db.execute(sql`
    select from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${content_item_id} and ${coursePermissionCondition(actor, "course:read-unpublished")}`);
  return seen.rowCount === 0 ? notFound("Content item") : forbidden();
}

const asChange = (change: Omit<z.output<typeof ChangeRow>, "page_key">): TreeChange => ({
  ...change,
  action: change.action.toUpperCase() as TreeChange["action"],
  changed_at: toInstant(change.changed_at),
  undone_at: change.undone_at && toInstant(change.undone_at),
});
