import type { PoolClient } from "pg";
import type { Flight } from "./flight.ts";

/** The driver's own, which its types leave out. */
type Wired = { connection: { stream: { cork(): void; uncork(): void } } };

/** A connection of a pool whose clients pipeline, until it lands; its statements leave as one write. */
export function pgFlight(client: PoolClient): Flight {
  const { stream } = (client as unknown as Wired).connection;
  stream.cork();
  return {
    query: client.query.bind(client),
    depart: once(() => stream.uncork()),
    land: () => client.release(),
  };
}

/** Corks are counted: one cork, one uncork. */
function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
