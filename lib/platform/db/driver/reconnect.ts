import {
  canRepeatStatement,
  DatabaseBusy,
  DatabaseUnavailable,
  isReadOnlyRefusal,
  translateDriverError,
} from "../unavailable.ts";
import type { Connection, Layer, Statement } from "./layers.ts";

/** After a longer pause, the event loop must catch up before the pool picks a connection. */
const PAUSE_MS = 100;

/**
 * Drops connections that died while idle, as in a frozen Lambda container. Repeats a statement once if it
 * cannot write twice (`canRepeatStatement`). Connection failures become `DatabaseUnavailable`.
 */
export function createReconnectLayer(): Layer {
  let lastUsed = Date.now();
  const markUse = () => {
    lastUsed = Date.now();
  };
  return {
    async alone(statement, next) {
      if (hasPaused()) await catchUp();
      const run = () => translated(() => next(statement), statement);
      try {
        return await run().catch((error) =>
          canRepeatStatement(error, statement) ? run() : Promise.reject(error),
        );
      } finally {
        markUse();
      }
    },
    async connect(next) {
      if (hasPaused()) await catchUp();
      return releasedOnce(await translated(next), markUse);
    },
    /** A refusal leaves the connection usable. */
    within(statement, next, connection) {
      const giveUp = (error: DatabaseUnavailable) => {
        if (!(error instanceof DatabaseBusy)) connection.release(error);
      };
      return translated(() => next(statement), statement, giveUp);
    },
  };

  function hasPaused(): boolean {
    return Date.now() - lastUsed >= PAUSE_MS;
  }

  /** While the process slept, peers hung up and idle timers expired. Notices both before a query. */
  async function catchUp(): Promise<void> {
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
    // A write by a read-only handle is our bug, not the database's state.
    if (statement?.repeatable && isReadOnlyRefusal(cause)) throw cause;
    const error = translateDriverError(cause);
    if (error instanceof DatabaseUnavailable) onUnavailable(error);
    throw error;
  }
}
