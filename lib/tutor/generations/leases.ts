import { sql } from "drizzle-orm";
import * as z from "zod";
import { runOutsideRequestContext } from "../../platform/async/request-context.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";

/** The right to write a generation; its token fences each write. */
export type ProducerLease = { generation: number; token: string };

export type ListenerLease = { session: number; token: string };

/** The producer's lease is lost, or the learner stops the answer. */
export type OnLeaseNotice = (notice: "lost" | "stop") => void;

/** Renewal intervals: a third of each kind of lease. */
export const producerRenewalMs = 750;
export const listenerRenewalMs = 3000;

/** One statement renews all leases of a process. */
class Leases {
  readonly producers = new Map<ProducerLease, OnLeaseNotice>();
  readonly listeners = new Set<ListenerLease>();
  readonly #db: Db;
  #timer: NodeJS.Timeout | undefined;
  #listenersAt = 0;
  #beat: Promise<void> | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The first renewal is sent immediately, because opening its connection may take a while. */
  start(): void {
    if (this.#timer) return;
    // The timer belongs to the process, not to the request that starts it.
    runOutsideRequestContext(() => {
      this.#timer = setInterval(() => this.#renew(), producerRenewalMs);
      this.#renew();
    });
  }

  async quiet(): Promise<void> {
    await this.#beat;
  }

  stopIfIdle(): void {
    if (this.producers.size > 0 || this.listeners.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renew(): void {
    const due = performance.now() - this.#listenersAt >= listenerRenewalMs;
    if (this.#beat || (this.producers.size === 0 && !due)) return;
    if (due) this.#listenersAt = performance.now();
    this.#beat = this.#send(due).finally(() => {
      this.#beat = undefined;
    });
  }

  async #send(withListeners: boolean): Promise<void> {
    const producers = [...this.producers];
    try {
      const held = await this.#hold(
        producers.map(([lease]) => lease),
        withListeners ? [...this.listeners] : [],
      );
      const stopping = new Map(held.map((row) => [row.generation, row.stop_requested]));
      for (const [lease, notify] of producers) {
        const stop = stopping.get(lease.generation);
        if (stop === undefined) notify("lost");
        else if (stop) notify("stop");
      }
    } catch {
      // The next renewal retries. If the lease expires first, another process produces.
    }
  }

  #hold(producers: readonly ProducerLease[], listeners: readonly ListenerLease[]) {
    return rowsOf(
      this.#db,
      Held,
      sql`select generation, stop_requested from renew_producer_and_listener_leases(
        ${sql.param(producers.map(({ generation }) => generation))}::bigint[],
        ${sql.param(producers.map(({ token }) => token))}::uuid[],
        ${sql.param(listeners.map(({ session }) => session))}::bigint[],
        ${sql.param(listeners.map(({ token }) => token))}::uuid[])`,
    );
  }
}

const Held = z.object({ generation: z.int(), stop_requested: z.boolean() });

const leasesOf = memoize((db: Db) => new Leases(db));

export function keepProducerLeaseRenewed(db: Db, lease: ProducerLease, notify: OnLeaseNotice): Disposable {
  const leases = leasesOf(db);
  leases.producers.set(lease, notify);
  leases.start();
  return {
    [Symbol.dispose]: () => {
      leases.producers.delete(lease);
      leases.stopIfIdle();
    },
  };
}

/**
 * Keeps a session's open turn for its subscribers until disposed. `end` also waits until no renewal can
 * extend the lease.
 */
export function keepListenerLeaseRenewed(
  db: Db,
  lease: ListenerLease,
): Disposable & { end(): Promise<void> } {
  const leases = leasesOf(db);
  leases.listeners.add(lease);
  leases.start();
  const letGo = () => {
    leases.listeners.delete(lease);
    leases.stopIfIdle();
  };
  return {
    [Symbol.dispose]: letGo,
    end() {
      letGo();
      return leases.quiet();
    },
  };
}
