import type { Deps } from "../deps.ts";
import { forbidden, unauthorized } from "../errors.ts";
import { type Action, ensure } from "../rbac/policy.ts";
import { type Actor, findActor } from "./actor.ts";
import type { TokenKind } from "./tokens.ts";

/**
 * Who may call an operation. Spread one of the five below into an endpoint's contract: it sets what the API
 * document says and what is enforced, and decides the type of `actor` in the handler.
 */
export type Access<A> = {
  kind: "anyone" | "maybe signed in" | "signed in" | "refreshing";
  action?: Action;
  /** The caller, from the value of the Authorization header; throws 401 or 403. */
  admit(authorization: string | undefined, deps: Deps): Promise<A>;
};

const guard = <A>(access: Access<A>): { access: Access<A> } => ({ access });

/** Needs no token and looks at none. */
export const anyone = guard({ kind: "anyone", admit: async () => undefined });

/** A valid token is used, an invalid one is treated as none. */
export const maybeSignedIn = guard({
  kind: "maybe signed in",
  admit: async (authorization, deps) => {
    const actor = await actorOf(authorization, deps, "access");
    return actor?.profile.is_active ? actor : undefined;
  },
});

/** Needs the access token of an active user. */
export const signedIn = guard({
  kind: "signed in",
  admit: (authorization, deps) => activeActor(authorization, deps, "access"),
});

/** Needs the refresh token of an active user. */
export const refreshing = guard({
  kind: "refreshing",
  admit: (authorization, deps) => activeActor(authorization, deps, "refresh"),
});

/** Needs a role that may do `action` anywhere: for what belongs to no university. */
export const may = (action: Action) =>
  guard({
    kind: "signed in",
    action,
    admit: async (authorization, deps) => {
      const actor = await activeActor(authorization, deps, "access");
      ensure(actor, action);
      return actor;
    },
  });

async function activeActor(authorization: string | undefined, deps: Deps, kind: TokenKind): Promise<Actor> {
  const actor = await actorOf(authorization, deps, kind);
  if (!actor) throw unauthorized();
  if (!actor.profile.is_active) throw forbidden("Inactive user");
  return actor;
}

async function actorOf(authorization: string | undefined, deps: Deps, kind: TokenKind) {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  const userId = token && (await deps.tokens.verify(token, kind));
  return userId ? findActor(deps.db, userId) : undefined;
}
