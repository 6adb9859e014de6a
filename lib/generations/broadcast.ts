import { sql } from "drizzle-orm";
import * as z from "zod";
import { answerStops, generationStates } from "../../schema/enums.ts";
import { memoize } from "../caching/memoize.ts";
import type { Db } from "../db/client.ts";
import { Patience } from "../db/patience.ts";
import { rowsOf } from "../db/rows.ts";
import type { ChunkBatch } from "./chunk-batch.ts";

/** One process asks after an answer that another makes at most four times a second, however many listen here. */
const pollEveryMs = 250;

/**
 * Telling a listener takes the process some 60 microseconds, so that a class is told less often than one learner: 1000
 * three times a second, and then all that came meanwhile at once. So a fifth of the process tells those who are there,
 * and the rest lets in those who still come.
 */
const pausePerListenerMs = 0.3;

/** Listeners look up at least so often, so that each sees when its own time is up. */
const wakeEveryMs = 1000;

/**
 * How an answer in the making ended; `gone` is one whose path or session was deleted. A private one that was made here
 * is stored in its session already.
 */
export type GenerationEnd =
  | { state: "complete"; stored?: { id: number; created_at: string; meta: object } | undefined }
  | { state: "failed"; retryAfter?: number | undefined }
  | { state: "gone" };

const Row = z.object({
  state: z.enum(generationStates),
  attempt: z.int(),
  lapsed: z.boolean(),
  stop: z.enum(answerStops).nullable(),
  retry_after: z.int().nullable(),
  chunks: z.array(z.string()).nullable(),
  pieces: z.array(z.tuple([z.int(), z.array(z.string())])),
});

/**
 * What one process knows of an answer in the making: from its maker where that works in this process, else from the
 * database. All who listen to the answer in this process share one, and the last to leave takes it away.
 */
export class Broadcast {
  readonly generation: number;
  draft: { pieces: ChunkBatch[] } = { pieces: [] };
  end: GenerationEnd | undefined;
  /** Its maker shows no sign of life: whoever claims it makes it. */
  lapsed = false;
  users = 0;
  /** Grows with all that is new. */
  version = 0;
  readonly #db: Db;
  #makers = 0;
  #attempt = 0;
  #length = 0;
  #news = Promise.withResolvers<void>();
  #polling: Promise<void> | undefined;
  #claiming: Promise<unknown> | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;
  readonly #patience = new Patience();
  #wake: NodeJS.Timeout | undefined;
  #untold: string[] = [];
  #telling: NodeJS.Timeout | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, generation: number) {
    this.#db = db;
    this.generation = generation;
  }

  /** Resolves when there may be something newer than that. Throws when the database cannot be reached for long. */
  async next(version: number): Promise<void> {
    if (this.version !== version) return;
    if (this.#makers === 0) return this.#look();
    this.#wake ??= setTimeout(() => this.#notify(), wakeEveryMs);
    await this.#news.promise;
  }

  /** Has one of those who listen here ask for the lease that has lapsed; the others wait for how that went. */
  async claimOnce<Claim>(claim: () => Promise<Claim>): Promise<Claim | undefined> {
    if (this.#claiming) {
      await this.#claiming.catch(() => {});
      return undefined;
    }
    const claiming = claim().finally(() => {
      this.#claiming = undefined;
      this.lapsed = false;
    });
    this.#claiming = claiming;
    return claiming;
  }

  /** From here on it is told by its maker, until the result is disposed of. */
  made(): Disposable {
    this.#makers += 1;
    this.lapsed = false;
    return {
      [Symbol.dispose]: () => {
        this.#makers -= 1;
        this.#attempt = 0;
        this.#tell();
      },
    };
  }

  /** Its maker begins to tell it. */
  begin(): void {
    this.draft = { pieces: [] };
    this.#length = 0;
    this.#untold = [];
  }

  say(piece: ChunkBatch): void {
    this.#untold.push(...piece);
    const pause = this.#toldAt + this.users * pausePerListenerMs - performance.now();
    if (pause < 1) this.#tell();
    else this.#telling ??= setTimeout(() => this.#tell(), pause);
  }

  /** The answer has ended: with these chunks, where it is complete. */
  finish(end: GenerationEnd, chunks: ChunkBatch = []): void {
    this.#tell();
    if (end.state === "complete") this.#goOnTo(chunks);
    this.end = end;
    this.#notify();
  }

  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#toldAt = performance.now();
    this.#add(this.#untold);
    this.#untold = [];
    this.#notify();
  }

  #notify(): void {
    this.version += 1;
    clearTimeout(this.#wake);
    this.#wake = undefined;
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  #look(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #poll(): Promise<void> {
    const pause = this.#polledAt + pollEveryMs - performance.now();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    this.#polledAt = performance.now();
    try {
      const rows = await this.#read();
      this.#patience.renew();
      // A maker may have begun here meanwhile, and knows more.
      if (this.#makers === 0 && !this.end) this.#take(rows[0]);
    } catch (error) {
      if (!this.#patience.bears(error)) throw error;
    }
  }

  #read() {
    return rowsOf(
      this.#db,
      Row,
      sql`
        select state, attempt, lease_until < clock_timestamp() as lapsed, stop, retry_after, chunks,
               coalesce((select json_agg(json_build_array(first_chunk, piece.chunks) order by first_chunk)
                         from generation_pieces as piece
                         where piece.generation_id = generations.id and piece.attempt = generations.attempt
                           and (first_chunk >= ${this.#length} or generations.attempt <> ${this.#attempt})
                        ), '[]') as pieces
        from generations where id = ${this.generation}`,
    );
  }

  #take(row: z.output<typeof Row> | undefined): void {
    if (!row) this.end = { state: "gone" };
    else if (row.state === "complete") this.finish({ state: "complete" }, row.chunks ?? []);
    else if (row.state === "failed") this.end = { state: "failed", retryAfter: row.retry_after ?? undefined };
    else {
      if (row.attempt !== this.#attempt) this.begin();
      this.#attempt = row.attempt;
      for (const [first, chunks] of row.pieces) if (first === this.#length) this.#add(chunks);
      this.lapsed = row.lapsed;
    }
  }

  /** Goes on to the whole answer, or tells it anew where it does not begin with what was told. */
  #goOnTo(chunks: ChunkBatch): void {
    if (!this.draft.pieces.flat().every((chunk, index) => chunk === chunks[index])) this.begin();
    this.#add(chunks.slice(this.#length));
  }

  #add(piece: ChunkBatch): void {
    if (piece.length > 0) this.draft.pieces.push(piece);
    this.#length += piece.length;
  }
}

/** The feeds of each database, by answer. */
const feedsOf = memoize((_db: Db) => new Map<number, Broadcast>());

/** The feed of an answer, shared with everyone in this process; dispose of it to leave. */
export function joinBroadcast(db: Db, generation: number): { feed: Broadcast } & Disposable {
  const feeds = feedsOf(db);
  const feed = feeds.get(generation) ?? new Broadcast(db, generation);
  feeds.set(generation, feed);
  feed.users += 1;
  return {
    feed,
    [Symbol.dispose]: () => {
      feed.users -= 1;
      if (feed.users === 0 && feeds.get(generation) === feed) feeds.delete(generation);
    },
  };
}
