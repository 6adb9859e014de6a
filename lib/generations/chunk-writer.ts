import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import type { ChunkBatch } from "./chunk-batch.ts";
import type { OnLease, ProducerLease } from "./leases.ts";

/** Chunks are written together, at most this often: a class listens elsewhere, and to a private answer hardly anyone. */
const writeEveryMs = { shared: 100, private: 2000 };

const Appended = z.object({ stop_requested: z.boolean() });

/**
 * Writes the chunks of one draft for those who listen elsewhere, beside the stream and never in its way. What
 * cannot be written now goes before the next chunks; the whole answer is stored at its end in any case.
 */
export class ChunkWriter {
  readonly #db: Db;
  readonly #lease: ProducerLease;
  readonly #notify: OnLease;
  #waiting: string[] = [];
  /** A batch that may be stored, since its write got no reply: it is sent again unchanged, and counts once. */
  #unsure: string[] = [];
  #written = 0;
  #writing: Promise<void> | undefined;
  readonly #stopped = new AbortController();
  readonly #everyMs: number;
  #next: Promise<unknown> = Promise.resolve();

  /** A class waits for the first chunk; of a private answer that is short nothing is written at all. */
  constructor(db: Db, lease: ProducerLease, notify: OnLease, isShared: boolean) {
    this.#db = db;
    this.#lease = lease;
    this.#notify = notify;
    this.#everyMs = isShared ? writeEveryMs.shared : writeEveryMs.private;
    if (!isShared) this.#next = this.#pause();
  }

  add(batch: ChunkBatch): void {
    this.#waiting.push(...batch);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Stops writing. What is still under way ends first, so that nothing runs on after the draft. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      await this.#next;
      if (this.#unsure.length === 0) this.#unsure = this.#waiting.splice(0);
      if (this.#unsure.length === 0 || this.#stopped.signal.aborted) return;
      this.#next = this.#pause();
      await this.#write(this.#unsure);
    }
  }

  #pause = (): Promise<unknown> =>
    sleep(this.#everyMs, undefined, { signal: this.#stopped.signal }).catch(() => {});

  async #write(chunks: string[]): Promise<void> {
    const { generation, token } = this.#lease;
    try {
      const [row] = await rowsOf(
        this.#db,
        Appended,
        sql`select stop_requested from append_chunks(
          ${generation}, ${token}::uuid, ${this.#written}, ${JSON.stringify(chunks)}::jsonb)`,
      );
      this.#written += chunks.length;
      this.#unsure = [];
      if (!row) this.#notify("lost");
      else if (row.stop_requested) this.#notify("stop");
    } catch {
      // It is sent again with the next look.
    }
  }
}
