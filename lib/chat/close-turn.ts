import { type SQL, sql } from "drizzle-orm";
import type { AnswerMeta, ChatMessage } from "../../schema/api/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import type { Db } from "../db/client.ts";
import { refusalIn } from "../db/violations.ts";
import { leaseSeconds, type OpenTurn } from "./open-turn.ts";
import type { Place } from "./turn.ts";

/** An answer with everything that is stored with it. */
export type Answered = { content: string; meta: AnswerMeta; place: Place | undefined };

/**
 * Closes a turn in one statement: the answer, the cursor and the hit or the whole node together, and the lease's
 * end. When the node is gone by then the answer is kept all the same, and the cursor stays.
 */
export async function closeTurn(db: Db, turn: OpenTurn, answered: Answered): Promise<ChatMessage> {
  try {
    return await store(db, turn, answered);
  } catch (error) {
    // A node may be pruned between the statement's look at it and its end.
    if (!answered.place || refusalIn(error)?.code !== "23503") throw error;
    return store(db, turn, { ...answered, place: undefined });
  }
}

/** Ends the lease of a turn without an answer; the learner's message stays, and can be sent again. */
export async function abandonTurn(db: Db, turn: OpenTurn): Promise<void> {
  await db.execute(sql`
    update chat_sessions set answering_until = null, answering_token = null
    where id = ${turn.session_id} and answering_token = ${turn.token}::uuid`);
}

/** Keeps a turn's lease while its answer is being written; disposed of, it lets it be. */
export function keepLease(db: Db, turn: OpenTurn): Disposable {
  const renew = () =>
    db.execute(sql`
      update chat_sessions set answering_until = now() + make_interval(secs => ${leaseSeconds})
      where id = ${turn.session_id} and answering_token = ${turn.token}::uuid`);
  const timer = setInterval(() => void renew().catch(() => {}), (leaseSeconds * 1000) / 3);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

type StoredRow = { id: number; created_at: string };

async function store(db: Db, turn: OpenTurn, { content, meta, place }: Answered): Promise<ChatMessage> {
  const { rows } = await db.execute<StoredRow>(sql`
    with ${nodeParts(place)},
    released as (
      update chat_sessions
      set cache_node_id = coalesce((select id from node), cache_node_id), updated_at = now(),
          answering_until = null, answering_token = null
      where id = ${turn.session_id} and answering_token = ${turn.token}::uuid
    )
    insert into chat_messages (session_id, role, content, meta, in_reply_to_id, on_shared_path)
    values (${turn.session_id}, 'assistant', ${content}, ${JSON.stringify(meta)}::jsonb, ${turn.message_id},
            ${turn.shared})
    returning id, created_at`);
  const row = rows[0];
  if (!row) throw new Error(`the answer to message ${turn.message_id} was not stored`);
  return { id: row.id, role: "assistant", content, meta, created_at: toInstant(row.created_at) };
}

/** Parts that give `node`, the id that the cursor moves to, and do to the tree what the answer's place says. */
function nodeParts(place: Place | undefined): SQL {
  if (!place) return sql`node as (select null::int as id where false)`;
  if ("followed" in place) return sql`node as (${wholeNode(place.followed)})`;
  if ("hit" in place)
    return sql`
      node as (${wholeNode(place.hit)}),
      hit as (insert into cache_hits (node_id) select id from node)`;
  return sql`
    filled as (
      update cache_nodes
      set chunks = ${JSON.stringify(place.chunks)}::jsonb, filling_until = null, filling_token = null,
          input_tokens = ${place.input_tokens}, output_tokens = ${place.output_tokens}, last_used_at = now()
      where id = ${place.filled} and filling_token = ${place.token}::uuid
      returning id
    ), swept as (
      delete from cache_fill_chunks where node_id = (select id from filled)
    ), node as (
      select id from filled union ${wholeNode(place.filled)}
    )`;
}

const wholeNode = (id: number): SQL =>
  sql`select id from cache_nodes where id = ${id} and chunks is not null`;
