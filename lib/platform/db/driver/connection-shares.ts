import { DatabaseBusy } from "../unavailable.ts";
import { isConnectionTimeoutDisabled } from "../wait-for-connection.ts";
import type { Connection, Layer } from "./layers.ts";
import { queryStatsStorage } from "./observe.ts";

/** Below this, half of the pool is too small for any operation. */
const minConnectionsToShare = 4;

/**
 * Limits each operation to half of a pool's connections: one locked table cannot take them all. Further
 * requests queue for `timeoutMs`, then throw `DatabaseBusy`.
 */
export function limitConnectionsPerOperation(max: number, timeoutMs: number): Layer {
  if (max < minConnectionsToShare) return {};
  const most = Math.floor(max / 2);
  const shares = new Map<string, Share>();
  return {
    alone(statement, next) {
      const share = shareNow();
      return share ? inShare(share, () => next(statement)) : next(statement);
    },
    connect(next) {
      const share = shareNow();
      return share ? lend(share, next) : next();
    },
  };

  function shareNow(): Share | undefined {
    const operation = queryStatsStorage.getStore()?.operation;
    if (operation === undefined) return undefined;
    const share = shares.get(operation) ?? new Share(most, timeoutMs);
    shares.set(operation, share);
    return share;
  }
}

async function inShare(share: Share, run: () => Promise<unknown>): Promise<unknown> {
  const turn = share.take();
  if (turn) await turn;
  try {
    return await run();
  } finally {
    share.giveBack();
  }
}

async function lend(share: Share, connect: () => Promise<Connection>): Promise<Connection> {
  const turn = share.take();
  if (turn) await turn;
  const connection = await connect().catch((error) => {
    share.giveBack();
    throw error;
  });
  let isLent = true;
  return {
    ...connection,
    release(error) {
      if (isLent) share.giveBack();
      isLent = false;
      connection.release(error);
    },
  };
}

class Share {
  readonly #most: number;
  readonly #timeoutMs: number;
  #held = 0;
  readonly #waiting = new Set<() => void>();

  constructor(most: number, timeoutMs: number) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
  }

  /** Takes a slot: immediately, or when the promise resolves. */
  take(): Promise<void> | undefined {
    if (this.#held < this.#most) {
      this.#held += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      let timeout: NodeJS.Timeout | undefined;
      const goOn = () => {
        clearTimeout(timeout);
        this.#held += 1;
        resolve();
      };
      this.#waiting.add(goOn);
      if (isConnectionTimeoutDisabled()) return;
      timeout = setTimeout(() => {
        this.#waiting.delete(goOn);
        reject(new DatabaseBusy("All connections of the operation's share were in use for too long"));
      }, this.#timeoutMs);
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
