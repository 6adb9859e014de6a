import { fairLimits } from "../../platform/async/fair-limits.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { runWithFollowingCheck } from "../../platform/db/driver/pipelined-batch.ts";
import {
  type Actor,
  type ActorLookup,
  isOnlyLearner,
  type PersonWithRolesAndLimits,
  parsePersonJson,
} from "./actor.ts";

/** Per process and database, about 1 KB each. */
const maxRememberedActors = 5000;

/** An equal text means the same person. */
type Remembered = { text: string; person: PersonWithRolesAndLimits };

const remembered = memoize((_db: ReadDb) => new Map<ActorLookup["name"], Remembered>());

export async function findActorAndCachePerson(
  db: ReadDb,
  credential: ActorLookup,
): Promise<Actor | undefined> {
  const known = remembered(db);
  const last = known.get(credential.name);
  const find = () => findPerson(db, credential, last);
  const found = await (credential.isUnproven && !last ? fairLimits.database.run(find) : find());
  if (found === undefined) {
    known.delete(credential.name);
    return undefined;
  }
  if (known.size >= maxRememberedActors) known.clear();
  known.set(credential.name, found);
  return credential.actorOf(found.person);
}

async function findPerson(
  db: ReadDb,
  credential: ActorLookup,
  last: Remembered | undefined,
): Promise<Remembered | undefined> {
  const asLearner = last !== undefined && isOnlyLearner(last.person);
  const text = await credential.find(db, asLearner);
  if (text === undefined) return undefined;
  if (text === last?.text) return last;
  const person = parsePersonJson(text);
  // They became staff.
  if (asLearner && !isOnlyLearner(person)) return findPerson(db, credential, undefined);
  return { text, person };
}

/**
 * Reads as the cached person and verifies person and token in the same round trip. If either changed, the
 * read is repeated. `read` must not write. Callers that are not cached are looked up first.
 */
export async function readWithOptimisticActor<Reply>(
  db: ReadDb,
  credential: ActorLookup,
  read: (actor: Actor | undefined) => Promise<Reply>,
): Promise<Reply> {
  const lastSeen = remembered(db).get(credential.name)?.person;
  if (!lastSeen) return read(await findActorAndCachePerson(db, credential));
  const [outcome, actor] = await runWithFollowingCheck(
    () => read(credential.actorOf(lastSeen)),
    () => findActorAndCachePerson(db, credential),
  );
  if (actor?.profile !== lastSeen.profile) return read(actor);
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
