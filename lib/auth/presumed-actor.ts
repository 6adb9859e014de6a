import { isDeepStrictEqual } from "node:util";
import type { Db } from "../db/client.ts";
import { checkedInFlight } from "../db/flight.ts";
import { type Actor, findActor } from "./actor.ts";

/** People whom one process remembers for each database, some 1 KB each. */
const mostRemembered = 5000;

const remembered = new WeakMap<Db, Map<number, Actor>>();

/** Finds who a token speaks of, and remembers them for their next read. */
export async function findAndRemember(db: Db, id: number): Promise<Actor | undefined> {
  const actor = await findActor(db, id);
  const known = remembered.get(db) ?? new Map<number, Actor>();
  if (known.size >= mostRemembered) known.clear();
  if (actor) known.set(id, actor);
  else known.delete(id);
  remembered.set(db, known);
  return actor;
}

/**
 * Reads as the person as they were last seen, and looks in the same round trip who they are now. What was read, or
 * thrown, goes out when both are the same; otherwise the read is done again as who they are. So `read` must write
 * nothing. Whoever is not remembered is looked up first.
 */
export async function readAs<Reply>(
  db: Db,
  id: number,
  read: (actor: Actor | undefined) => Promise<Reply>,
): Promise<Reply> {
  const presumed = remembered.get(db)?.get(id);
  if (!presumed) return read(await findAndRemember(db, id));
  const [outcome, actor] = await checkedInFlight(
    () => read(presumed),
    () => findAndRemember(db, id),
  );
  if (!isDeepStrictEqual(actor, presumed)) return read(actor);
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
