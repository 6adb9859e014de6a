import { endsInCallback, type Queryable, type QueryPool, queryText } from "./observe.ts";
import { DatabaseBusy, DatabaseUnavailable, mayRepeat, translateDriverError } from "./unavailable.ts";

type Client = Queryable & {
  release(error?: Error | boolean): void;
  on(event: "error", listener: () => void): unknown;
};

/** A pool that stood still for longer lets the event loop catch up before it picks a connection. */
const PAUSE_MS = 100;

/**
 * Makes a pool live with connections that die while nobody uses them, as in a Lambda container that was frozen.
 * In place: `pool.query` is repeated once where that cannot do a write twice (`mayRepeat`), a broken client
 * never returns to the pool, and connection failures are thrown as `DatabaseUnavailable`.
 */
export function reconnectPool(pool: QueryPool): void {
  const { query, connect } = pool;
  const guarded = new WeakSet<Client>();
  let lastUsed = Date.now();

  pool.query = async (...args: unknown[]) => {
    await afterPause();
    const run = () => translated(() => Reflect.apply(query, pool, args));
    try {
      return await run().catch((error) =>
        mayRepeat(error, queryText(args)) ? run() : Promise.reject(error),
      );
    } finally {
      lastUsed = Date.now();
    }
  };

  pool.connect = (...args: unknown[]) =>
    endsInCallback(args) ? Reflect.apply(connect, pool, args) : checkOut();

  async function checkOut(): Promise<Client> {
    await afterPause();
    const client = (await translated(() => Reflect.apply(connect, pool, []))) as Client;
    if (!guarded.has(client)) guardClient(client);
    guarded.add(client);
    releaseOnce(client, () => {
      lastUsed = Date.now();
    });
    return client;
  }

  /** While the process slept, peers hung up and idle timers ran out: let both be noticed before a query is sent. */
  async function afterPause(): Promise<void> {
    if (Date.now() - lastUsed < PAUSE_MS) return;
    lastUsed = Date.now();
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Gives a client up as soon as its connection fails: drizzle does not, when BEGIN itself fails. What the server refused
 * leaves it as it is.
 */
function guardClient(client: Client): void {
  const query = client.query;
  client.query = (...args: unknown[]) => {
    const run = () => Reflect.apply(query, client, args);
    const giveUp = (error: DatabaseUnavailable) => {
      if (!(error instanceof DatabaseBusy) || /^begin\b/i.test(queryText(args))) client.release(error);
    };
    return endsInCallback(args) ? run() : translated(run, giveUp);
  };
  // A checked-out client has no other listener, and an unheard "error" event ends the process.
  client.on("error", () => {});
}

function releaseOnce(client: Client, onRelease: () => void): void {
  const release = client.release.bind(client);
  let released = false;
  client.release = (error) => {
    if (released) return;
    released = true;
    onRelease();
    release(error);
  };
}

async function translated(
  run: () => unknown,
  onUnavailable: (error: DatabaseUnavailable) => void = () => {},
): Promise<unknown> {
  try {
    return await run();
  } catch (cause) {
    const error = translateDriverError(cause);
    if (error instanceof DatabaseUnavailable) onUnavailable(error);
    throw error;
  }
}
