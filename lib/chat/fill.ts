import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, isNull, sql } from "drizzle-orm";
import { cacheFillChunks, cacheNodes } from "../../schema/db/cache.ts";
import type { Db } from "../db/client.ts";
import { fingerprint } from "../fingerprint.ts";
import type { TutorPrompt } from "./cache-tree.ts";
import type { OpenTurn } from "./open-turn.ts";

/** A node's holder shows that it lives at least every third of this; one that fell silent is taken over after it. */
const leaseSeconds = 9;

/** Chunks are written together: the first at once, then at most this often. */
const writeEveryMs = 100;

/** The right to write a node's answer. */
export type Lease = { node_id: number; token: string };

const until = sql`now() + make_interval(secs => ${leaseSeconds})`;

/**
 * Takes the right to write the node that answers this turn, in one statement: the node is made, or taken over from
 * a holder who fell silent. Undefined when another holds it, or the answer is there by now. Whoever gets the right
 * calls the LLM; the index over the node's key lets one caller have it, across all processes.
 */
export async function claimNode(db: Db, turn: OpenTurn, prompt: TutorPrompt): Promise<Lease | undefined> {
  if (turn.message.kind === "free") return undefined;
  const token = crypto.randomUUID();
  const [claimed] = await db
    .insert(cacheNodes)
    .values({
      content_item_id: turn.content_item_id,
      parent_id: turn.parent_id,
      message: turn.message.normalForm,
      message_hash: fingerprint(turn.message.normalForm),
      prompt_name: prompt.name,
      prompt_version: prompt.version,
      model: turn.model,
      prompt_fingerprint: prompt.fingerprint,
      content_fingerprint: turn.content_fingerprint,
      filling_token: token,
      filling_until: until,
    })
    .onConflictDoUpdate({
      target: nodeKey,
      set: { filling_token: token, filling_until: until },
      setWhere: sql`${cacheNodes.chunks} is null and ${cacheNodes.filling_until} < now()`,
    })
    .returning({ node_id: cacheNodes.id });
  return claimed && { ...claimed, token };
}

const nodeKey = [
  cacheNodes.content_item_id,
  cacheNodes.parent_id,
  cacheNodes.message_hash,
  cacheNodes.prompt_name,
  cacheNodes.prompt_version,
  cacheNodes.model,
  cacheNodes.prompt_fingerprint,
  cacheNodes.content_fingerprint,
];

/** Leaves no node behind: those who wait for the answer see that it is gone, and one of them tries again. */
export async function giveUp(db: Db, { node_id, token }: Lease): Promise<void> {
  await db
    .delete(cacheNodes)
    .where(and(eq(cacheNodes.id, node_id), eq(cacheNodes.filling_token, token), isNull(cacheNodes.chunks)));
}

/**
 * Writes an answer's chunks for those who wait, beside the stream and never in its way, and keeps the lease while
 * the LLM is silent. A write that fails costs the others some time and nothing else: the whole answer is stored at
 * its end in any case.
 */
export class FillWriter {
  readonly #db: Db;
  readonly #lease: Lease;
  readonly #heartbeat: NodeJS.Timeout;
  #waiting: string[] = [];
  #written = 0;
  #writing: Promise<void> | undefined;
  readonly #stopped = Promise.withResolvers<void>();

  constructor(db: Db, lease: Lease) {
    this.#db = db;
    this.#lease = lease;
    this.#heartbeat = setInterval(() => void this.#renew().catch(() => {}), (leaseSeconds * 1000) / 3);
  }

  add(...chunks: string[]): void {
    this.#waiting.push(...chunks);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Stops writing. What is still under way ends first, so that nothing runs on after the request. */
  async stop(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#waiting = [];
    this.#stopped.resolve();
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const chunks = this.#waiting;
      this.#waiting = [];
      const first_chunk = this.#written;
      this.#written += chunks.length;
      const written = this.#db
        .insert(cacheFillChunks)
        .values({ node_id: this.#lease.node_id, filling_token: this.#lease.token, first_chunk, chunks });
      await Promise.all([
        written.catch(() => {}),
        Promise.race([sleep(writeEveryMs), this.#stopped.promise]),
      ]);
    }
  }

  #renew() {
    const { node_id, token } = this.#lease;
    return this.#db
      .update(cacheNodes)
      .set({ filling_until: until })
      .where(and(eq(cacheNodes.id, node_id), eq(cacheNodes.filling_token, token)));
  }
}
