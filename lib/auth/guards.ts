import { noteOnRequest } from "../async/request-context.ts";
import type { Deps } from "../deps.ts";
import { forbidden, HttpError, inactiveUser, unauthorized } from "../errors.ts";
import { type Action, ensure, policy } from "../rbac/policy.ts";
import type { Bearer, TokenKind } from "../secrets/tokens.ts";
import type { Actor } from "./actor.ts";
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
    admit: byToken("access", (actor) => (actor?.profile.is_active ? actor : undefined)),
  });

/** A valid token is used, an invalid one is treated as none: what else shows who asks, the verb says. */
export const maybeSignedIn = guard({
  kind: "maybe signed in",
  open: "everything",
  actions: [],
  admit: byToken("access", (actor) => (actor?.profile.is_active ? actor : undefined)),
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
  admit: byToken("access", (found) => {
    const actor = active(found);
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
    admit: byToken("access", (found) => {
      const actor = active(found);
      if (policy[action].where === "anywhere") ensure(actor, action);
      return actor;
    }),
  });

/** Does the work as what `judge` makes of the person whom the token names; of nobody, where it names none. */
function byToken<A>(kind: TokenKind, judge: (found: Actor | undefined) => A): Access<A>["admit"] {
  return async (arrival, work) => {
    const { deps, onlyReads } = arrival;
    const workAs = (found: Actor | undefined) => namingProviders(found, async () => work(judge(found)));
    const bearer = await bearerOf(arrival, kind);
    if (!bearer) return workAs(undefined);
    return onlyReads ? readAs(deps.reads, bearer, workAs) : workAs(await findAndRemember(deps.reads, bearer));
  };
}

/** Does the work; what is refused to someone active names the providers of universities that ask for their own. */
async function namingProviders<Reply>(found: Actor | undefined, work: () => Promise<Reply>): Promise<Reply> {
  if (!found?.profile.is_active || !found.withheld?.length) return work();
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 403) throw error;
    throw forbidden([error.message, ...found.withheld.map(askedForProvider)].join(". "));
  }
}

function active(found: Actor | undefined): Actor {
  if (!found) throw unauthorized();
  if (!found.profile.is_active) throw inactiveUser();
  return found;
}

async function bearerOf({ authorization, deps }: Arrival, kind: TokenKind): Promise<Bearer | undefined> {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  const bearer = token ? await deps.tokens.verify(token, kind) : undefined;
  if (bearer) noteOnRequest({ account: bearer.id });
  return bearer;
}
