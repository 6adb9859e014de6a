import {
  DatabaseBusy,
  DatabaseUnavailable,
  isReadOnlyRefusal,
  mayRepeat,
  translateDriverError,
} from "../unavailable.ts";
import type { Connection, Layer, Statement } from "./layers.ts";

/** A pool that stood still for longer lets the event loop catch up before it picks a connection. */
const PAUSE_MS = 100;

/**
 * Lives with connections that die while nobody uses them, as in a Lambda container that was frozen. A statement that
 * stands alone is repeated once where that cannot do a write twice (`mayRepeat`), a broken connection is given up at once,
 * and connection failures are thrown as `DatabaseUnavailable`.
 */
export function reconnect(): Layer {
  let lastUsed = Date.now();
  const markUse = () => {
    lastUsed = Date.now();
  };
  return {
    async alone(statement, next) {
      await afterPause();
      const run = () => translated(() => next(statement), statement);
      try {
        return await run().catch((error) => (mayRepeat(error, statement) ? run() : Promise.reject(error)));
      } finally {
        markUse();
      }
    },
    async connect(next) {
      await afterPause();
      return releasedOnce(await translated(next), markUse);
    },
    /** What the server refused leaves a connection as it is. */
    within(statement, next, connection) {
      const giveUp = (error: DatabaseUnavailable) => {
        if (!(error instanceof DatabaseBusy)) connection.release(error);
      };
      return translated(() => next(statement), statement, giveUp);
    },
  };

  /** While the process slept, peers hung up and idle timers ran out: let both be noticed before a query is sent. */
  async function afterPause(): Promise<void> {
    if (Date.now() - lastUsed < PAUSE_MS) return;
    lastUsed = Date.now();
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

function releasedOnce(connection: Connection, onRelease: () => void): Connection {
  let released = false;
  return {
    ...connection,
    release(error) {
      if (released) return;
      released = true;
      onRelease();
      connection.release(error);
    },
  };
}

async function translated<T>(
  run: () => Promise<T>,
  statement?: Statement,
  onUnavailable: (error: DatabaseUnavailable) => void = () => {},
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    // What only reads and is refused a write is a fault of ours, and not the database's.
    if (statement?.repeatable && isReadOnlyRefusal(cause)) throw cause;
    const error = translateDriverError(cause);
    if (error instanceof DatabaseUnavailable) onUnavailable(error);
    throw error;
  }
}
