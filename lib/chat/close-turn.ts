import { sql } from "drizzle-orm";
import type { AnswerMeta, ChatMessage } from "../../schema/api/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import type { Db } from "../db/client.ts";
import { leaseSeconds, type OpenTurn } from "./open-turn.ts";
import type { Place } from "./turn.ts";

/** An answer with everything that is stored with it. */
export type Answered = { content: string; meta: AnswerMeta; place: Place | undefined };

type StoredRow = { id: number; created_at: string };

/**
 * Closes a turn in one round trip: the answer, the cursor and the hit or the whole node together, and the lease's
 * end. When the node is gone by then the answer is kept all the same, and the cursor stays.
 */
export async function closeTurn(
  db: Db,
  turn: OpenTurn,
  { content, meta, place }: Answered,
): Promise<ChatMessage> {
  const done = place && doneTo(place);
  const { rows } = await db.execute<StoredRow>(sql`
    select * from close_turn(${turn.session_id}, ${turn.token}, ${turn.message_id}, ${content},
      ${JSON.stringify(meta)}, ${turn.shared}, ${done?.place ?? null}, ${done?.node ?? null}, ${done?.token ?? null},
      ${done?.chunks ?? null}, ${done?.input_tokens ?? null}, ${done?.output_tokens ?? null})`);
  const [row] = rows;
  if (!row) throw new Error(`the answer to message ${turn.message_id} was not stored`);
  return { id: row.id, role: "assistant", content, meta, created_at: toInstant(row.created_at) };
}

type Done = {
  place: "hit" | "followed" | "filled";
  node: number;
  token?: string;
  chunks?: string;
  input_tokens?: number;
  output_tokens?: number;
};

/** What an answer's place does to the tree, in the words of the database's function. */
function doneTo(place: Place): Done {
  if ("hit" in place) return { place: "hit", node: place.hit };
  if ("followed" in place) return { place: "followed", node: place.followed };
  const { filled, chunks, ...rest } = place;
  return { place: "filled", node: filled, chunks: JSON.stringify(chunks), ...rest };
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
