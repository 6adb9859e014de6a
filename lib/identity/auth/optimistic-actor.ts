import { fairLimits } from "../../platform/async/fair-limits.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { runWithConcurrentCheck } from "../../platform/db/concurrent-check.ts";
import { runWithFollowingCheck } from "../../platform/db/driver/pipelined-batch.ts";
import { isDatabaseUnavailable } from "../../platform/db/unavailable.ts";
import {
  type Actor,
  type ActorLookup,
  isOnlyLearner,
  type PersonWithRolesAndLimits,
  parsePersonJson,
  type TokenActorLookup,
} from "./actor.ts";
import { ChangedCaller, type Verification } from "./verified-write.ts";

/** Per process and database, about 1 KB each. */
const maxRememberedActors = 5000;

/** An equal text means the same person. */
type Remembered = { text: string; person: PersonWithRolesAndLimits };

const remembered = memoize((_db: ReadDb) => new Map<ActorLookup["name"], Remembered>());

export async function findActorAndCachePerson(
  db: ReadDb,
  credential: ActorLookup,
): Promise<Actor | undefined> {
  const last = remembered(db).get(credential.name);
  const find = () => findPerson(db, credential, last);
  return cachePerson(
    db,
    credential,
    await (credential.isUnproven && !last ? fairLimits.database.run(find) : find()),
  );
}

function cachePerson(db: ReadDb, credential: ActorLookup, found: Remembered | undefined): Actor | undefined {
  const known = remembered(db);
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
  const [outcome, actor] = await readAndVerify(
    db,
    () => read(credential.actorOf(lastSeen)),
    () => findActorAndCachePerson(db, credential),
  );
  if (actor?.profile !== lastSeen.profile) return read(actor);
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

const readsInProgress = memoize((_db: ReadDb) => ({ count: 0 }));

/** Alone, the verification follows the read on its connection. Those of concurrent reads share a statement. */
async function readAndVerify<Reply>(
  db: ReadDb,
  read: () => Promise<Reply>,
  verify: () => Promise<Actor | undefined>,
): Promise<[PromiseSettledResult<Reply>, Actor | undefined]> {
  const inProgress = readsInProgress(db);
  inProgress.count += 1;
  try {
    return await (inProgress.count === 1
      ? runWithFollowingCheck(read, verify)
      : runWithConcurrentCheck(read, verify));
  } finally {
    inProgress.count -= 1;
  }
}

/**
 * Writes as the cached learner. `write` verifies them in its statement (`createVerifiedWrite`) and runs again if they
 * changed. Others are looked up first. A rejection before that statement counts only if the learner is unchanged.
 */
export async function writeWithOptimisticActor<Reply>(
  db: ReadDb,
  credential: TokenActorLookup,
  write: (actor: Actor | undefined, verification: Verification) => Promise<Reply>,
): Promise<Reply> {
  const writeAs = (actor: Actor | undefined) => write(actor, { ...credential.values, cached: null });
  const last = remembered(db).get(credential.name);
  if (!last || !isOnlyLearner(last.person)) return writeAs(await findActorAndCachePerson(db, credential));
  const verification: Verification = { ...credential.values, cached: last.text };
  try {
    return await write(credential.actorOf(last.person), verification);
  } catch (error) {
    if (error instanceof ChangedCaller) return writeAs(await cacheChangedLearner(db, credential, error));
    if (verification.isConfirmed || isDatabaseUnavailable(error)) throw error;
    const actor = await findActorAndCachePerson(db, credential);
    if (actor?.profile === last.person.profile) throw error;
    return writeAs(actor);
  }
}

async function cacheChangedLearner(
  db: ReadDb,
  credential: ActorLookup,
  { person: text }: ChangedCaller,
): Promise<Actor | undefined> {
  const found = text === undefined ? undefined : { text, person: parsePersonJson(text) };
  // They became staff, so the text is incomplete.
  if (found && !isOnlyLearner(found.person)) return findActorAndCachePerson(db, credential);
  return cachePerson(db, credential, found);
}
