import type { ApiKeyScope } from "../../../schema/enums.ts";
import type { Deps } from "../../deps.ts";
import { forbidden, HttpError, inactiveUserError, unauthorized } from "../../errors.ts";
import { noteOnRequest } from "../../platform/async/request-context.ts";
import type { TokenBearer, TokenKind } from "../../platform/secrets/tokens.ts";
import { ensurePermission, type PolicyAction, policy } from "../rbac/policy.ts";
import type { ActingApiKey } from "./acting-key.ts";
import { type Actor, type ActorLookup, tokenActorLookup } from "./actor.ts";
import { apiKeyActorLookup, recordApiKeyUse } from "./key-credential.ts";
import { parseBearerToken, readAndLogApiKey } from "./key-in-request.ts";
import {
  findActorAndCachePerson,
  readWithOptimisticActor,
  writeWithOptimisticActor,
} from "./optimistic-actor.ts";
import { ensureTokenReachesWholeAccount, withheldUniversityReason } from "./token-reach.ts";
import type { CallerToVerify } from "./verified-write.ts";

/**
 * Spread one of the rules below into an endpoint's contract. It sets the API document, the permission table,
 * the check and the type of `actor`.
 */
export type AccessRule<A> = {
  kind: "anyone" | "maybe signed in" | "signed in" | "refreshing";
  /** Available to every caller of that kind, regardless of roles. */
  open: "everything" | "published data" | "own data" | "nothing";
  /** Actions that need a role: first those of the whole operation, then those of only some inputs. */
  actions: readonly PolicyAction[];
  /** Throws 401 or 403. */
  admit<Reply>(arrival: Arrival, work: (caller: A) => Promise<Reply>): Promise<Reply>;
};

type Arrival = {
  authorization: string | undefined;
  deps: Deps;
  /** Absent: API keys are not allowed. */
  scope: ApiKeyScope | undefined;
  /** The work is idempotent and read-only: the check shares its round trip. */
  onlyReads: boolean;
};

const guard = <A>(access: AccessRule<A>): { access: AccessRule<A> } => ({ access });

/** Ignores tokens. */
export const anyone = guard<undefined>({
  kind: "anyone",
  open: "everything",
  actions: [],
  admit: (_, work) => work(undefined),
});

/**
 * Published data is public. The handler shows more to those with `action`. An invalid token counts as none.
 */
export const publicOrPermittedTo = (...actions: [PolicyAction, ...PolicyAction[]]) =>
  guard({
    kind: "maybe signed in",
    open: "published data",
    actions,
    admit: byToken("access", asKnown),
  });

/** An invalid token counts as none. The handler decides what callers see. */
export const maybeSignedIn = guard({
  kind: "maybe signed in",
  open: "everything",
  actions: [],
  admit: byToken("access", asKnown),
});

/** The handler is limited to the caller's own data. Requires an active user. */
export const signedIn = guard({
  kind: "signed in",
  open: "own data",
  actions: [],
  admit: byToken("access", active),
});

/** For data outside of universities: the token must reach the whole account, else 403. */
export const signedInWithFullReach = guard({
  ...signedIn.access,
  admit: byToken("access", (found, scope) => {
    const actor = active(found, scope);
    ensureTokenReachesWholeAccount(actor);
    return actor;
  }),
});

export type Caller = TokenBearer;

/** The handler's first statement checks person and token, to save a round trip. It throws the 401 and 403. */
export const tokenCheckedByHandler = guard<Caller>({
  ...signedIn.access,
  admit: async (arrival, work) => work(await bearerWithoutKey(arrival)),
});

/** Like `signedIn`, in one round trip for a cached learner: the handler's only write verifies them. */
export const signedInVerifiedByWrite = guard<CallerToVerify>({
  ...signedIn.access,
  admit: async (arrival, work) => {
    const credential = tokenActorLookup(await bearerWithoutKey(arrival));
    return writeWithOptimisticActor(arrival.deps.reads, credential, (found, verification) =>
      namingProviders(found, async () => work({ actor: active(found, undefined), verification })),
    );
  },
});

/** Like `signedIn`. The handler allows others' data with one of the actions there. */
export const ownDataOrPermitted = (...actions: [PolicyAction, ...PolicyAction[]]) =>
  guard({ ...signedIn.access, actions });

export const withRefreshToken = guard({
  kind: "refreshing",
  open: "own data",
  actions: [],
  admit: byToken("refresh", active),
});

/** The handler checks scoped actions, since it knows the scope, and `others`, which only some inputs need. */
export const permittedTo = (action: PolicyAction, ...others: PolicyAction[]) =>
  guard({
    kind: "signed in",
    open: "nothing",
    actions: [action, ...others],
    admit: byToken("access", (found, scope) => {
      const actor = active(found, scope);
      if (policy[action].where === "anywhere") ensurePermission(actor, action);
      return actor;
    }),
  });

/** For operations that people cannot call: requires an API key with the operation's scope. */
export const withApiKey = (action: PolicyAction) =>
  guard({
    kind: "signed in",
    open: "nothing",
    actions: [action],
    admit: byToken("access", (found, scope): Actor & { key: ActingApiKey } => {
      const { key, ...actor } = active(found, scope);
      if (!key) throw forbidden("only_api_keys");
      return { ...actor, key };
    }),
  });

/** Runs as the actor that `judge` derives. Keys need `scope`. */
function byToken<A>(
  kind: TokenKind,
  judge: (found: Actor | undefined, scope: ApiKeyScope | undefined) => A,
): AccessRule<A>["admit"] {
  return async (arrival, work) => {
    const { deps, onlyReads, scope } = arrival;
    let key: ActingApiKey | undefined;
    const workAs = (found: Actor | undefined) =>
      namingProviders(found, async () => {
        const caller = judge(found, scope);
        key = caller && found?.key;
        return work(caller);
      });
    const credential = (kind === "access" && keyOf(arrival)) || (await tokenOf(arrival, kind));
    if (!credential) return workAs(undefined);
    const reply = await (onlyReads
      ? readWithOptimisticActor(deps.reads, credential, workAs)
      : workAs(await findActorAndCachePerson(deps.reads, credential)));
    if (key) await recordApiKeyUse(deps.db, key, dayOf(deps.now()));
    return reply;
  };
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** A refusal of an active user names the universities that require their own identity provider. */
async function namingProviders<Reply>(found: Actor | undefined, work: () => Promise<Reply>): Promise<Reply> {
  if (!found?.profile.is_active || !found.withheld?.length) return work();
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 403) throw error;
    const reasons = [error.message, ...found.withheld.map(withheldUniversityReason)].join(". ");
    throw forbidden("own_provider_required", { reasons });
  }
}

function active(found: Actor | undefined, scope: ApiKeyScope | undefined): Actor {
  if (!found) throw unauthorized();
  if (!found.profile.is_active) throw inactiveUserError();
  if (found.key) noteOnRequest({ key_holds: true });
  if (found.key && !hasScope(found.key, scope))
    throw scope ? forbidden("api_key_without_scope", { scope }) : forbidden("no_api_key");
  return found;
}

/** For public data, a caller whose identity is not admitted counts as anonymous. */
function asKnown(found: Actor | undefined, scope: ApiKeyScope | undefined): Actor | undefined {
  return found?.profile.is_active && (!found.key || hasScope(found.key, scope)) ? found : undefined;
}

const hasScope = ({ scopes }: ActingApiKey, scope: ApiKeyScope | undefined): boolean =>
  scope !== undefined && scopes.includes(scope);

/** 401 without a valid token or for an invalid API key, 403 for a valid one. */
async function bearerWithoutKey(arrival: Arrival): Promise<TokenBearer> {
  const key = keyOf(arrival);
  if (key) active(await findActorAndCachePerson(arrival.deps.reads, key), undefined);
  const bearer = await bearerOf(arrival, "access");
  if (!bearer) throw unauthorized();
  return bearer;
}

function keyOf({ authorization }: Arrival): ActorLookup | undefined {
  const key = readAndLogApiKey(authorization);
  return key && apiKeyActorLookup(key);
}

async function tokenOf(arrival: Arrival, kind: TokenKind): Promise<ActorLookup | undefined> {
  const bearer = await bearerOf(arrival, kind);
  return bearer && tokenActorLookup(bearer);
}

async function bearerOf(arrival: Arrival, kind: TokenKind): Promise<TokenBearer | undefined> {
  const token = parseBearerToken(arrival.authorization);
  const bearer = token ? await arrival.deps.tokens.verify(token, kind) : undefined;
  if (bearer) noteOnRequest({ account: bearer.id });
  return bearer;
}
