import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ChunkBatch } from "./chunk-batch.ts";
import type { OnLeaseNotice, ProducerLease } from "./leases.ts";

/** A class subscribes in other processes; a private answer rarely has another reader. */
const writeEveryMs = { shared: 100, private: 2000 };

const Appended = z.object({ stop_requested: z.boolean() });

/**
 * Writes a draft's chunks for other processes, without delaying the stream. The next chunks retry failed
 * writes; the end stores the whole answer anyway.
 */
export class ChunkWriter {
  readonly #db: Db;
  readonly #lease: ProducerLease;
  readonly #notify: OnLeaseNotice;
  #waiting: string[] = [];
  /** A batch whose write got no reply: sent again unchanged, counted once. */
  #unsure: string[] = [];
  #written = 0;
  #writing: Promise<void> | undefined;
  readonly #stopped = new AbortController();
  readonly #everyMs: number;
  #next: Promise<unknown> = Promise.resolve();

  /** A class waits for the first chunk. A short private answer is never written. */
  constructor(db: Db, lease: ProducerLease, notify: OnLeaseNotice, isShared: boolean) {
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

  /** Waits for the current write, so nothing runs on after the draft. */
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
        sql`select stop_requested from append_chunks_and_renew_lease(
          ${generation}, ${token}::uuid, ${this.#written}, ${JSON.stringify(chunks)}::jsonb)`,
      );
      this.#written += chunks.length;
      this.#unsure = [];
      if (!row) this.#notify("lost");
      else if (row.stop_requested) this.#notify("stop");
    } catch {
      // The next write sends it again.
    }
  }
}
