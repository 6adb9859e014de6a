import type { ApiKeyScope } from "../../schema/enums.ts";
import { noteOnRequest } from "../async/request-context.ts";
import type { Deps } from "../deps.ts";
import { forbidden, HttpError, inactiveUser, unauthorized } from "../errors.ts";
import { type Action, ensure, policy } from "../rbac/policy.ts";
import type { Bearer, TokenKind } from "../secrets/tokens.ts";
import type { ActingKey } from "./acting-key.ts";
import { type Actor, type Credential, tokenCredential } from "./actor.ts";
import { keyCredential, noteUse } from "./key-credential.ts";
import { bearerText, noteKey } from "./key-in-request.ts";
import { findAndRemember, readAs } from "./optimistic-actor.ts";
import { askedForProvider, ensureReachesAccount } from "./token-reach.ts";

/**
 * Who may call an operation. Spread one of those below into an endpoint's contract: it sets what the API document
 * and the table of permissions say and what is enforced, and decides the type of `actor` in the handler.
 */
export type Access<A> = {
  kind: "anyone" | "maybe signed in" | "signed in" | "refreshing";
  /** What the operation does for every caller of that kind, whatever their roles. */
  open: "everything" | "what is published" | "one's own" | "nothing";
  /** What takes a role: first what the rest takes, then what some things or inputs take instead or as well. */
  actions: readonly Action[];
  /** Does the work as the caller, whom it answers to; throws 401 or 403 in its place. */
  admit<Reply>(arrival: Arrival, work: (caller: A) => Promise<Reply>): Promise<Reply>;
};

/** What a guard sees of a request. */
type Arrival = {
  /** The value of the Authorization header. */
  authorization: string | undefined;
  deps: Deps;
  /** The scope that a key for machines takes; without one no key may do it. */
  scope: ApiKeyScope | undefined;
  /** The work changes nothing and may be done twice, so that the caller is looked up in its own round trip. */
  onlyReads: boolean;
};

const guard = <A>(access: Access<A>): { access: Access<A> } => ({ access });

/** Needs no token and looks at none. */
export const anyone = guard<undefined>({
  kind: "anyone",
  open: "everything",
  actions: [],
  admit: (_, work) => work(undefined),
});

/**
 * What is published is everyone's; the verb shows the rest to those who may do `action` there. A valid token is
 * used, an invalid one is treated as none.
 */
export const publishedOr = (...actions: [Action, ...Action[]]) =>
  guard({
    kind: "maybe signed in",
    open: "what is published",
    actions,
    admit: byToken("access", asKnown),
  });

/** A valid token is used, an invalid one is treated as none: what else shows who asks, the verb says. */
export const maybeSignedIn = guard({
  kind: "maybe signed in",
  open: "everything",
  actions: [],
  admit: byToken("access", asKnown),
});

/** Needs the access token of an active user; the verb does or shows what is the caller's own. */
export const signedIn = guard({
  kind: "signed in",
  open: "one's own",
  actions: [],
  admit: byToken("access", active),
});

/** The same for what is the person's at no university: it takes a token that reaches the whole account, else 403. */
export const signedInWholly = guard({
  ...signedIn.access,
  admit: byToken("access", (found, scope) => {
    const actor = active(found, scope);
    ensureReachesAccount(actor);
    return actor;
  }),
});

/** Who a valid token names, before anyone has looked whether they are there and the token has not ended. */
export type Caller = Bearer;

/**
 * The same, for a verb whose own first statement looks whether the person is there and active and the token has not
 * ended, and saves the round trip: it throws the 401 and the 403.
 */
export const signedInByToken = guard<Caller>({
  ...signedIn.access,
  admit: async (arrival, work) => {
    const key = keyOf(arrival);
    if (key) active(await findAndRemember(arrival.deps.reads, key), undefined);
    const bearer = await bearerOf(arrival, "access");
    if (!bearer) throw unauthorized();
    return work(bearer);
  },
});

/** The same as `signedIn`, and the verb reaches what is others' for those who may do one of the actions there. */
export const ownOr = (...actions: [Action, ...Action[]]) => guard({ ...signedIn.access, actions });

/** Needs the refresh token of an active user. */
export const refreshing = guard({
  kind: "refreshing",
  open: "one's own",
  actions: [],
  admit: byToken("refresh", active),
});

/**
 * Needs a role that may do `action`. Where that may be held anywhere, it is asked for at the door; else the verb
 * asks, which knows where the thing is. So it does for `others`, which some of its things or inputs take.
 */
export const may = (action: Action, ...others: Action[]) =>
  guard({
    kind: "signed in",
    open: "nothing",
    actions: [action, ...others],
    admit: byToken("access", (found, scope) => {
      const actor = active(found, scope);
      if (policy[action].where === "anywhere") ensure(actor, action);
      return actor;
    }),
  });

/** Needs a key for machines, with the scope that the operation names: for what no person does. */
export const byKey = (action: Action) =>
  guard({
    kind: "signed in",
    open: "nothing",
    actions: [action],
    admit: byToken("access", (found, scope): Actor & { key: ActingKey } => {
      const { key, ...actor } = active(found, scope);
      if (!key) throw forbidden("only_api_keys");
      return { ...actor, key };
    }),
  });

/**
 * Does the work as what `judge` makes of the person whom the token or the key names, where a key takes `scope`; of nobody,
 * where it names none.
 */
function byToken<A>(
  kind: TokenKind,
  judge: (found: Actor | undefined, scope: ApiKeyScope | undefined) => A,
): Access<A>["admit"] {
  return async (arrival, work) => {
    const { deps, onlyReads, scope } = arrival;
    let key: ActingKey | undefined;
    const workAs = (found: Actor | undefined) =>
      namingProviders(found, async () => {
        const caller = judge(found, scope);
        key = caller && found?.key;
        return work(caller);
      });
    const credential = (kind === "access" && keyOf(arrival)) || (await tokenOf(arrival, kind));
    if (!credential) return workAs(undefined);
    const reply = await (onlyReads
      ? readAs(deps.reads, credential, workAs)
      : workAs(await findAndRemember(deps.reads, credential)));
    if (key) await noteUse(deps.db, key, dayOf(deps.now()));
    return reply;
  };
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** Does the work; what is refused to someone active names the providers of universities that ask for their own. */
async function namingProviders<Reply>(found: Actor | undefined, work: () => Promise<Reply>): Promise<Reply> {
  if (!found?.profile.is_active || !found.withheld?.length) return work();
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 403) throw error;
    const reasons = [error.message, ...found.withheld.map(askedForProvider)].join(". ");
    throw forbidden("own_provider_required", { reasons });
  }
}

function active(found: Actor | undefined, scope: ApiKeyScope | undefined): Actor {
  if (!found) throw unauthorized();
  if (!found.profile.is_active) throw inactiveUser();
  if (found.key) noteOnRequest({ key_holds: true });
  if (found.key && !hasScope(found.key, scope))
    throw scope ? forbidden("api_key_without_scope", { scope }) : forbidden("no_api_key");
  return found;
}

/** Where what is published is everyone's, who may not come as themselves comes as everyone does. */
function asKnown(found: Actor | undefined, scope: ApiKeyScope | undefined): Actor | undefined {
  return found?.profile.is_active && (!found.key || hasScope(found.key, scope)) ? found : undefined;
}

const hasScope = ({ scopes }: ActingKey, scope: ApiKeyScope | undefined): boolean =>
  scope !== undefined && scopes.includes(scope);

/** The key for machines that a request came with, if it is spelled like one. */
function keyOf({ authorization }: Arrival): Credential | undefined {
  const key = noteKey(authorization);
  return key && keyCredential(key);
}

async function tokenOf(arrival: Arrival, kind: TokenKind): Promise<Credential | undefined> {
  const bearer = await bearerOf(arrival, kind);
  return bearer && tokenCredential(bearer);
}

async function bearerOf(arrival: Arrival, kind: TokenKind): Promise<Bearer | undefined> {
  const token = bearerText(arrival.authorization);
  const bearer = token ? await arrival.deps.tokens.verify(token, kind) : undefined;
  if (bearer) noteOnRequest({ account: bearer.id });
  return bearer;
}
