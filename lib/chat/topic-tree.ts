import { type SQL, sql } from "drizzle-orm";
import type { CacheNode, TopicTree } from "../../schema/api/chat.ts";
import type { Pagination } from "../../schema/api/fields.ts";
import { toInstant } from "../../schema/db/columns.ts";
import { courses } from "../../schema/db/courses.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Action } from "../rbac/policy.ts";
import { mayAt } from "../rbac/scopes.ts";

/** A node of one topic's tree. */
export type NodePath = { content_item_id: number; node_id: number };

/** The stored answers of a topic, for the course's staff; 404 for everyone else. */
export async function getTopicTree(
  db: Db,
  actor: Actor,
  contentItemId: number,
  { skip, limit }: Pagination,
): Promise<TopicTree> {
  const { rows } = await db.execute<TopicTree>(sql`
    select content_items.id as content_item_id,
           (select count(*)::int from chat_sessions
            where content_item_id = content_items.id and cache_state = 'diverged' and cache_node_id is null
           ) as sessions_diverged_at_start,
           (select count(*)::int from cache_nodes
            where content_item_id = content_items.id and chunks is not null) as total,
           coalesce((select json_agg(node order by id) from (
             ${nodes} where content_item_id = content_items.id and chunks is not null
             order by id offset ${skip} limit ${limit}) as node), '[]') as nodes
    from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${contentItemId} and ${at(actor, "course:read-unpublished")}`);
  const [tree] = rows;
  if (!tree) throw notFound("Content item");
  return { ...tree, nodes: tree.nodes.map(asNode) };
}

/** Replaces an answer by the instructor's own text, which later learners get; 404 for a node that is not there. */
export async function replaceAnswer(
  db: Db,
  actor: Actor,
  path: NodePath,
  answer: string,
): Promise<CacheNode> {
  const changed = await db.execute(sql`
    update cache_nodes
    set chunks = ${JSON.stringify([answer])}::jsonb, edited_by = ${actor.id}, edited_at = now()
    where ${reachable(actor, path)} and chunks is not null`);
  if (changed.rowCount === 0) return refuse(db, actor, path);
  const { rows } = await db.execute<CacheNode>(sql`${nodes} where id = ${path.node_id}`);
  const [node] = rows;
  if (!node) throw notFound("Node");
  return asNode(node);
}

/** Purges an answer with all that follow from it; sessions that stood there stand before the root again. */
export async function purgeNode(db: Db, actor: Actor, path: NodePath): Promise<void> {
  const purged = await db.execute(sql`delete from cache_nodes where ${reachable(actor, path)}`);
  if (purged.rowCount === 0) await refuse(db, actor, path);
}

const nodes: SQL = sql`
  select id, parent_id, message,
         (select string_agg(chunk, '' order by number)
          from jsonb_array_elements_text(chunks) with ordinality as part (chunk, number)) as answer,
         model, prompt_name, prompt_version,
         (hit_count + (select count(*) from cache_hits where node_id = cache_nodes.id))::float8 as hits,
         (select count(*)::int from chat_sessions
          where cache_node_id = cache_nodes.id and cache_state = 'diverged') as sessions_diverged,
         last_used_at, created_at, edited_by, edited_at
  from cache_nodes`;

const at = (actor: Actor, action: Action): SQL =>
  mayAt(actor, action, courses.university_id, courses.department_id);

const reachable = (actor: Actor, { content_item_id, node_id }: NodePath): SQL => sql`
  id = ${node_id} and content_item_id = ${content_item_id} and exists (
    select from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${content_item_id} and ${at(actor, "content:write")})`;

/** Staff who may look but not write are told so; everyone else is told that there is nothing. */
async function refuse(db: Db, actor: Actor, { content_item_id, node_id }: NodePath): Promise<never> {
  const { rows } = await db.execute<{ writes: boolean; exists: boolean }>(sql`
    select ${at(actor, "content:write")} as writes,
           exists (select from cache_nodes where id = ${node_id} and content_item_id = ${content_item_id}) as exists
    from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${content_item_id} and ${at(actor, "course:read-unpublished")}`);
  if (!rows[0]) throw notFound("Content item");
  throw rows[0].exists && !rows[0].writes ? forbidden() : notFound("Node");
}

const asNode = (node: CacheNode): CacheNode => ({
  ...node,
  last_used_at: toInstant(node.last_used_at),
  created_at: toInstant(node.created_at),
  edited_at: node.edited_at && toInstant(node.edited_at),
});
