import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import type { Piece } from "./turn.ts";

/** One process asks after one node at most four times a second, however many there wait for it. */
const pollEveryMs = 250;

/** What became of an answer that was waited for. */
export type FollowEnd =
  | { state: "whole"; input_tokens: number; output_tokens: number }
  /** Its holder gave it up, or fell silent: someone else has to make it. */
  | { state: "gone" | "silent" };

type Seen = {
  answer: string[] | null;
  filling_token: string | null;
  silent: boolean;
  input_tokens: number | null;
  output_tokens: number | null;
  pieces: [firstChunk: number, chunks: string[]][];
};

/** The watches of each database, by node: those who wait in one process share them. */
const watches = new WeakMap<Db, Map<number, Watch>>();

/**
 * Listens to an answer that another call is writing, in this process or any other: its chunks in their original
 * boundaries as they arrive, until the answer is whole or given up.
 */
export async function* follow(
  db: Db,
  nodeId: number,
  signal: AbortSignal,
): AsyncGenerator<Piece, FollowEnd, undefined> {
  const watch = join(db, nodeId);
  try {
    let heard = 0;
    await watch.look();
    const { generation } = watch;
    for (;;) {
      if (watch.generation !== generation) return { state: "gone" };
      for (; heard < watch.pieces.length; heard += 1) yield watch.pieces[heard] ?? [];
      if (watch.end) return watch.end;
      signal.throwIfAborted();
      await watch.look();
    }
  } finally {
    leave(db, watch);
  }
}

/** What one process knows of an answer in the making. */
class Watch {
  readonly nodeId: number;
  followers = 0;
  /** The answer so far, in the pieces that were seen at once. */
  pieces: Piece[] = [];
  end: FollowEnd | undefined;
  /** Counts the answers that were begun here: another one need not begin with the same words. */
  generation = 0;
  readonly #db: Db;
  #token: string | null = null;
  #polling: Promise<void> | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, nodeId: number) {
    this.#db = db;
    this.nodeId = nodeId;
  }

  /** Waits for the next look at the node; those who wait at the same time share it. */
  look(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #poll(): Promise<void> {
    const pause = this.#polledAt + pollEveryMs - performance.now();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    this.#polledAt = performance.now();
    const { rows } = await this.#db.execute<Seen>(sql`
      select chunks as answer, filling_token, coalesce(filling_until < now(), false) as silent,
             input_tokens, output_tokens,
             coalesce((select json_agg(json_build_array(first_chunk, piece.chunks) order by first_chunk)
                       from cache_fill_chunks as piece
                       where piece.node_id = cache_nodes.id and piece.filling_token = cache_nodes.filling_token
                         and first_chunk >= ${this.#length}), '[]') as pieces
      from cache_nodes where id = ${this.nodeId}`);
    this.#take(rows[0]);
  }

  #take(seen: Seen | undefined): void {
    if (!seen) {
      this.end = { state: "gone" };
    } else if (seen.answer) {
      this.#replaceBy(seen.answer);
      const { input_tokens, output_tokens } = seen;
      this.end = { state: "whole", input_tokens: input_tokens ?? 0, output_tokens: output_tokens ?? 0 };
    } else {
      if (this.#token !== seen.filling_token) this.#replaceBy([]);
      this.#token = seen.filling_token;
      for (const [first, chunks] of seen.pieces) if (first === this.#length) this.#add(chunks);
      this.end = seen.silent ? { state: "silent" } : undefined;
    }
  }

  /** Goes on to the whole answer, or begins again with one that does not begin with what is here. */
  #replaceBy(answer: Piece): void {
    const continues = this.pieces.flat().every((chunk, index) => chunk === answer[index]);
    if (!continues) {
      this.generation += 1;
      this.pieces = [];
    }
    this.#add(answer.slice(this.#length));
  }

  #add(piece: Piece): void {
    if (piece.length > 0) this.pieces.push(piece);
  }

  get #length(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.length, 0);
  }
}

function join(db: Db, nodeId: number): Watch {
  const ofDb = watches.get(db) ?? new Map<number, Watch>();
  watches.set(db, ofDb);
  const watch = ofDb.get(nodeId) ?? new Watch(db, nodeId);
  ofDb.set(nodeId, watch);
  watch.followers += 1;
  return watch;
}

function leave(db: Db, watch: Watch): void {
  watch.followers -= 1;
  const ofDb = watches.get(db);
  if (watch.followers === 0 && ofDb?.get(watch.nodeId) === watch) ofDb.delete(watch.nodeId);
}
