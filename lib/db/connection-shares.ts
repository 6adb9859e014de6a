import { AsyncLocalStorage } from "node:async_hooks";
import { endsInCallback, type QueryPool, queryStats } from "./observe.ts";
import { DatabaseBusy } from "./unavailable.ts";

/** Of fewer connections than that, half would be too few for any operation. */
const fewestShared = 4;

type Client = { release(error?: Error | boolean): void };

const patient = new AsyncLocalStorage<true>();

/** Runs what waits for its operation's share as long as it takes, and is never refused for it. */
export const waitForShare = <T>(work: () => T): T => patient.run(true, work);

/**
 * Has no operation hold more than half of a pool's connections, in place: a table that one of them waits for would else
 * take those of all others. Who finds the half taken waits in turn, for `patienceMs`, and is then refused as
 * `DatabaseBusy`. What no request asked for has no share.
 */
export function shareConnections(pool: QueryPool, max: number, patienceMs: number): void {
  if (max < fewestShared) return;
  const { query, connect } = pool;
  const most = Math.floor(max / 2);
  const shares = new Map<string, Share>();

  pool.query = (...args: unknown[]) => {
    const run = () => Reflect.apply(query, pool, args);
    const share = endsInCallback(args) ? undefined : shareNow();
    return share ? within(share, run) : run();
  };

  pool.connect = (...args: unknown[]) => {
    const open = () => Reflect.apply(connect, pool, args);
    const share = endsInCallback(args) ? undefined : shareNow();
    return share ? lend(share, open) : open();
  };

  /** Of the operation that asks; none outside of requests. */
  function shareNow(): Share | undefined {
    const operation = queryStats.getStore()?.operation;
    if (operation === undefined) return undefined;
    const share = shares.get(operation) ?? new Share(most, patienceMs);
    shares.set(operation, share);
    return share;
  }
}

async function within(share: Share, run: () => unknown): Promise<unknown> {
  const turn = share.take();
  if (turn) await turn;
  try {
    return await run();
  } finally {
    share.giveBack();
  }
}

async function lend(share: Share, open: () => Promise<Client>): Promise<Client> {
  const turn = share.take();
  if (turn) await turn;
  const client = await open().catch((error) => {
    share.giveBack();
    throw error;
  });
  const release = client.release.bind(client);
  let isLent = true;
  client.release = (error) => {
    if (isLent) share.giveBack();
    isLent = false;
    release(error);
  };
  return client;
}

/** What one operation holds of a pool. */
class Share {
  readonly #most: number;
  readonly #patienceMs: number;
  #held = 0;
  readonly #waiting = new Set<() => void>();

  constructor(most: number, patienceMs: number) {
    this.#most = most;
    this.#patienceMs = patienceMs;
  }

  /** Takes a connection's place: at once, or when what comes back resolves. */
  take(): Promise<void> | undefined {
    if (this.#held < this.#most) {
      this.#held += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      let impatience: NodeJS.Timeout | undefined;
      const goOn = () => {
        clearTimeout(impatience);
        this.#held += 1;
        resolve();
      };
      this.#waiting.add(goOn);
      if (patient.getStore()) return;
      impatience = setTimeout(() => {
        this.#waiting.delete(goOn);
        reject(new DatabaseBusy("An operation's share of the connections was taken for too long"));
      }, this.#patienceMs);
    });
  }

  giveBack(): void {
    this.#held -= 1;
    const [next] = this.#waiting;
    if (!next || this.#held >= this.#most) return;
    this.#waiting.delete(next);
    next();
  }
}
