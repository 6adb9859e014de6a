import { sql } from "drizzle-orm";
import * as z from "zod";
import { answerStops, generationStates } from "../../../schema/enums.ts";
import type { Question } from "../../../schema/question.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { RetryWindow } from "../../platform/db/retry-window.ts";
import type { ChunkBatch } from "./chunk-batch.ts";

/** A process polls another's generation at most four times a second, however many subscribe. */
const pollEveryMs = 250;

/**
 * Sending to one subscriber costs about 60 µs: 1000 subscribers get three batches a second, which takes a
 * fifth of the process.
 */
const pausePerListenerMs = 0.3;

/** Subscribers wake this often, to notice their own timeouts. */
const wakeEveryMs = 1000;

/** As stored in its session; `carried` is the question that a move carries over. */
type StoredEnd = {
  id: number;
  created_at: string;
  meta: object;
  has_key: boolean;
  carried: Question | null;
};

/** `gone` if its path or session was deleted. A private answer produced here is already in its session. */
export type GenerationEnd =
  | { state: "complete"; stored?: StoredEnd | undefined }
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
 * A generation's state in one process: from its producer if that runs here, else from the database. All
 * subscribers share it; the last to leave removes it.
 */
export class AnswerBroadcast {
  readonly generation: number;
  draft: { batches: ChunkBatch[] } = { batches: [] };
  end: GenerationEnd | undefined;
  /** The producer's lease expired: the next claim becomes the producer. */
  lapsed = false;
  users = 0;
  version = 0;
  readonly #db: Db;
  #producers = 0;
  #attempt = 0;
  #length = 0;
  #changed = Promise.withResolvers<void>();
  #polling: Promise<void> | undefined;
  #claiming: Promise<unknown> | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;
  readonly #retryWindow = new RetryWindow();
  #wake: NodeJS.Timeout | undefined;
  #unsent: string[] = [];
  #sending: NodeJS.Timeout | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, generation: number) {
    this.#db = db;
    this.generation = generation;
  }

  /** Resolves when there may be a newer version. Throws if the database is unreachable for long. */
  async next(version: number): Promise<void> {
    if (this.version !== version) return;
    if (this.#producers === 0) return this.#look();
    this.#wake ??= setTimeout(() => this.#notify(), wakeEveryMs);
    await this.#changed.promise;
  }

  /** One subscriber in this process claims the expired lease; the others await it. */
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

  produced(): Disposable {
    this.#producers += 1;
    this.lapsed = false;
    return {
      [Symbol.dispose]: () => {
        this.#producers -= 1;
        this.#attempt = 0;
        this.#sendNow();
      },
    };
  }

  restart(): void {
    this.draft = { batches: [] };
    this.#length = 0;
    this.#unsent = [];
  }

  send(batch: ChunkBatch): void {
    this.#unsent.push(...batch);
    const pause = this.#sentAt + this.users * pausePerListenerMs - performance.now();
    if (pause < 1) this.#sendNow();
    else this.#sending ??= setTimeout(() => this.#sendNow(), pause);
  }

  finish(end: GenerationEnd, chunks: ChunkBatch = []): void {
    this.#sendNow();
    if (end.state === "complete") this.#goOnTo(chunks);
    this.end = end;
    this.#notify();
  }

  #sendNow(): void {
    clearTimeout(this.#sending);
    this.#sending = undefined;
    this.#sentAt = performance.now();
    this.#add(this.#unsent);
    this.#unsent = [];
    this.#notify();
  }

  #notify(): void {
    this.version += 1;
    clearTimeout(this.#wake);
    this.#wake = undefined;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
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
      this.#retryWindow.reset();
      // A local producer may have started since, and knows more.
      if (this.#producers === 0 && !this.end) this.#take(rows[0]);
    } catch (error) {
      if (!this.#retryWindow.allows(error)) throw error;
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
      if (row.attempt !== this.#attempt) this.restart();
      this.#attempt = row.attempt;
      for (const [first, chunks] of row.pieces) if (first === this.#length) this.#add(chunks);
      this.lapsed = row.lapsed;
    }
  }

  /** Appends the rest of the complete answer, or restarts if it differs. */
  #goOnTo(chunks: ChunkBatch): void {
    if (!this.draft.batches.flat().every((chunk, index) => chunk === chunks[index])) this.restart();
    this.#add(chunks.slice(this.#length));
  }

  #add(batch: ChunkBatch): void {
    if (batch.length > 0) this.draft.batches.push(batch);
    this.#length += batch.length;
  }
}

const broadcastsOf = memoize((_db: Db) => new Map<number, AnswerBroadcast>());

/** Shared in this process; dispose of it to leave. */
export function joinBroadcast(db: Db, generation: number): { broadcast: AnswerBroadcast } & Disposable {
  const broadcasts = broadcastsOf(db);
  const broadcast = broadcasts.get(generation) ?? new AnswerBroadcast(db, generation);
  broadcasts.set(generation, broadcast);
  broadcast.users += 1;
  return {
    broadcast,
    [Symbol.dispose]: () => {
      broadcast.users -= 1;
      if (broadcast.users === 0 && broadcasts.get(generation) === broadcast) broadcasts.delete(generation);
    },
  };
}
