import type { Deps } from "../deps.ts";
import { inactiveUser, unauthorized } from "../errors.ts";
import { type Action, ensure, policy } from "../rbac/policy.ts";
import type { TokenKind } from "../tokens.ts";
import { type Actor, findActor } from "./actor.ts";

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
  /** The caller, from the value of the Authorization header; throws 401 or 403. */
  admit(authorization: string | undefined, deps: Deps): Promise<A>;
};

const guard = <A>(access: Access<A>): { access: Access<A> } => ({ access });

/** Needs no token and looks at none. */
export const anyone = guard({
  kind: "anyone",
  open: "everything",
  actions: [],
  admit: async () => undefined,
});

/**
 * What is published is everyone's; the verb shows the rest to those who may do `action` there. A valid token is
 * used, an invalid one is treated as none.
 */
export const publishedOr = (action: Action) =>
  guard({
    kind: "maybe signed in",
    open: "what is published",
    actions: [action],
    admit: async (authorization, deps) => {
      const actor = await actorOf(authorization, deps, "access");
      return actor?.profile.is_active ? actor : undefined;
    },
  });

/** Needs the access token of an active user; the verb does or shows what is the caller's own. */
export const signedIn = guard({
  kind: "signed in",
  open: "one's own",
  actions: [],
  admit: (authorization, deps) => activeActor(authorization, deps, "access"),
});

/** Who a valid token names, before anyone has looked whether they are there. */
export type Caller = { id: number };

/**
 * The same, for a verb whose own first statement looks whether the person is there and active, and saves the round
 * trip: it throws the 401 and the 403.
 */
export const signedInByToken = guard<Caller>({
  ...signedIn.access,
  admit: async (authorization, deps) => {
    const id = await userIdOf(authorization, deps, "access");
    if (!id) throw unauthorized();
    return { id };
  },
});

/** The same as `signedIn`, and the verb reaches what is others' for those who may do one of the actions there. */
export const ownOr = (...actions: [Action, ...Action[]]) => guard({ ...signedIn.access, actions });

/** Needs the refresh token of an active user. */
export const refreshing = guard({
  kind: "refreshing",
  open: "one's own",
  actions: [],
  admit: (authorization, deps) => activeActor(authorization, deps, "refresh"),
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
    admit: async (authorization, deps) => {
      const actor = await activeActor(authorization, deps, "access");
      if (policy[action].where === "anywhere") ensure(actor, action);
      return actor;
    },
  });

async function activeActor(authorization: string | undefined, deps: Deps, kind: TokenKind): Promise<Actor> {
  const actor = await actorOf(authorization, deps, kind);
  if (!actor) throw unauthorized();
  if (!actor.profile.is_active) throw inactiveUser();
  return actor;
}

async function actorOf(authorization: string | undefined, deps: Deps, kind: TokenKind) {
  const userId = await userIdOf(authorization, deps, kind);
  return userId ? findActor(deps.db, userId) : undefined;
}

async function userIdOf(authorization: string | undefined, deps: Deps, kind: TokenKind) {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  return token ? deps.tokens.verify(token, kind) : undefined;
}
