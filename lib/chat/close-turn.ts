import { type SQL, sql } from "drizzle-orm";
import type { AnswerMeta, ChatMessage } from "../../schema/api/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import type { Db } from "../db/client.ts";
import { refusalIn } from "../db/violations.ts";
import { fingerprint } from "./fingerprint.ts";
import type { OpenTurn } from "./open-turn.ts";

/** What a turn leaves behind: the answer, and where on the tree it stands. */
export type Outcome = {
  chunks: readonly string[];
  meta: AnswerMeta;
  /** The node that gave the answer, the node to make of it, or neither: then the cursor stays. */
  place: { hit: number } | { fill: NewNode } | undefined;
};

export type NewNode = {
  prompt_name: string;
  prompt_version: number;
  prompt_fingerprint: string;
  input_tokens: number;
  output_tokens: number;
};

/**
 * Closes a turn in one statement: the answer, the cursor and the hit or the new node together, and the lease's
 * end. The first write of a node wins; a later one finds it, and its session goes on from there.
 */
export async function closeTurn(db: Db, turn: OpenTurn, outcome: Outcome): Promise<ChatMessage> {
  try {
    return await store(db, turn, outcome);
  } catch (error) {
    // The tree may be pruned between the look-up and here; the answer is kept, and the cursor stays.
    if (!outcome.place || refusalIn(error)?.code !== "23503") throw error;
    return store(db, turn, { ...outcome, place: undefined });
  }
}

/** Ends the lease of a turn without an answer; the learner's message stays, and can be sent again. */
export async function abandonTurn(db: Db, turn: OpenTurn): Promise<void> {
  await db.execute(sql`
    update chat_sessions set answering_until = null, answering_token = null
    where id = ${turn.session_id} and answering_token = ${turn.token}::uuid`);
}

type StoredRow = { id: number; created_at: string };

async function store(db: Db, turn: OpenTurn, { chunks, meta, place }: Outcome): Promise<ChatMessage> {
  const content = chunks.join("");
  const { rows } = await db.execute<StoredRow>(sql`
    with node as (${nodeOf(turn, chunks, place)}),
    ${place && "hit" in place ? sql`hit as (insert into cache_hits (node_id) select id from node),` : sql``}
    released as (
      update chat_sessions
      set cache_node_id = coalesce((select id from node), cache_node_id), updated_at = now(),
          answering_until = null, answering_token = null
      where id = ${turn.session_id} and answering_token = ${turn.token}::uuid
    )
    insert into chat_messages (session_id, role, content, meta, in_reply_to_id)
    values (${turn.session_id}, 'assistant', ${content}, ${JSON.stringify(meta)}::jsonb, ${turn.message_id})
    returning id, created_at`);
  const row = rows[0];
  if (!row) throw new Error(`the answer to message ${turn.message_id} was not stored`);
  return { id: row.id, role: "assistant", content, meta, created_at: toInstant(row.created_at) };
}

/** The node that the cursor moves to. The update that changes nothing is there to return the row that won. */
function nodeOf(turn: OpenTurn, chunks: readonly string[], place: Outcome["place"]): SQL {
  if (!place || turn.message.kind === "free") return sql`select null::int as id where false`;
  if ("hit" in place) return sql`select id from cache_nodes where id = ${place.hit}`;
  const { fill } = place;
  return sql`
    insert into cache_nodes
      (content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
       content_fingerprint, chunks, input_tokens, output_tokens)
    values (${turn.content_item_id}, ${turn.parent_id}, ${turn.message.normalForm},
            ${fingerprint(turn.message.normalForm)}, ${fill.prompt_name}, ${fill.prompt_version}, ${turn.model},
            ${fill.prompt_fingerprint}, ${turn.content_fingerprint}, ${JSON.stringify(chunks)}::jsonb,
            ${fill.input_tokens}, ${fill.output_tokens})
    on conflict on constraint cache_nodes_key do update set message = excluded.message
    returning id`;
}
