import { isDeepStrictEqual } from "node:util";
import type { Db } from "../db/client.ts";
import { checkedInFlight } from "../db/flight.ts";
import { madeOnce } from "../made-once.ts";
import type { Bearer } from "../tokens.ts";
import { type Actor, findActor } from "./actor.ts";

/** People whom one process remembers for each database, some 1 KB each. */
const mostRemembered = 5000;

/** What is remembered is the person's; what a token says is taken from that of each request. */
type Person = Omit<Actor, keyof Bearer>;

const remembered = madeOnce((_db: Db) => new Map<number, Person>());

/** Finds who a token speaks of, if it has not ended, and remembers them for their next read. */
export async function findAndRemember(db: Db, bearer: Bearer): Promise<Actor | undefined> {
  const actor = await findActor(db, bearer);
  const known = remembered(db);
  if (known.size >= mostRemembered) known.clear();
  if (actor) known.set(bearer.id, { profile: actor.profile, roles: actor.roles });
  else known.delete(bearer.id);
  return actor;
}

/**
 * Reads as the person as they were last seen, and looks in the same round trip who they are now and whether this
 * token has ended. What was read, or thrown, goes out when both are the same; otherwise the read is done again as who
 * they are. So `read` must write nothing. Whoever is not remembered is looked up first.
 */
export async function readAs<Reply>(
  db: Db,
  bearer: Bearer,
  read: (actor: Actor | undefined) => Promise<Reply>,
): Promise<Reply> {
  const person = remembered(db).get(bearer.id);
  if (!person) return read(await findAndRemember(db, bearer));
  const presumed: Actor = { ...bearer, ...person };
  const [outcome, actor] = await checkedInFlight(
    () => read(presumed),
    () => findAndRemember(db, bearer),
  );
  if (!isDeepStrictEqual(actor, presumed)) return read(actor);
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
