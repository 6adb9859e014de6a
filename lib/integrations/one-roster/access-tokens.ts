import type { ApiKeyScope } from "../../../schema/enums.ts";
import type { Deps } from "../../deps.ts";
import { formatApiKey, parseApiKey } from "../../identity/auth/api-key-format.ts";
import { apiKeyActorLookup } from "../../identity/auth/key-credential.ts";
import { parseBearerToken } from "../../identity/auth/key-in-request.ts";
import { findActorAndCachePerson } from "../../identity/auth/optimistic-actor.ts";
import { sealToken, unsealToken } from "../../identity/auth/sealing.ts";
import { TokenRefusal } from "../lti-tools/access-tokens.ts";
import {
  gradebookScopes,
  OneRosterError,
  type OneRosterScope,
  rosterScopes,
  toScopeUri,
} from "./protocol.ts";

type Parts = Pick<Deps, "config" | "now">;

/** In seconds. */
const lifetime = 3600;

const purpose = "access token of OneRoster";

/** Sealed. A revoked key ends its tokens. */
type AccessToken = { key: string; scopes: OneRosterScope[] };

const scopesOfKey: Partial<Record<ApiKeyScope, readonly OneRosterScope[]>> = {
  "people:read": rosterScopes,
  "grades:read": gradebookScopes,
};

/** By client credentials: the secret is an API key, the client id its part `lk_7`. Throws `TokenRefusal`. */
export async function grantOneRosterAccess(
  parts: Parts & Pick<Deps, "reads">,
  form: Record<string, string>,
  authorization: string | undefined,
): Promise<{ access_token: string; token_type: "Bearer"; expires_in: number; scope: string }> {
  if (form["grant_type"] !== "client_credentials")
    throw new TokenRefusal("unsupported_grant_type", "grant_type must be client_credentials");
  const { id, secret } = clientOf(form, authorization);
  const key = parseApiKey(secret);
  const holder =
    key && id === formatApiKey(key.id, "").slice(0, -1)
      ? await findActorAndCachePerson(parts.reads, apiKeyActorLookup(key))
      : undefined;
  if (!holder?.key || !holder.profile.is_active)
    throw new TokenRefusal("invalid_client", "The client id and secret are not those of a valid API key");
  const allowed = holder.key.scopes.flatMap((scope) => scopesOfKey[scope] ?? []);
  const asked = form["scope"]?.split(" ");
  const scopes = allowed.filter((scope) => !asked || asked.includes(toScopeUri(scope)));
  if (scopes.length === 0)
    throw new TokenRefusal("invalid_scope", "The API key permits none of the requested scopes");
  const granted: AccessToken = { key: secret, scopes };
  return {
    access_token: await sealToken(parts, purpose, lifetime, granted),
    token_type: "Bearer",
    expires_in: lifetime,
    scope: scopes.map(toScopeUri).join(" "),
  };
}

function clientOf(form: Record<string, string>, authorization: string | undefined) {
  const [, encoded] = /^Basic +([\w+/=-]{1,1000}) *$/i.exec(authorization ?? "") ?? [];
  if (!encoded) return { id: form["client_id"], secret: form["client_secret"] ?? "" };
  const [id, ...secret] = Buffer.from(encoded, "base64").toString().split(":");
  return { id, secret: secret.join(":") };
}

/** Replaces an access token by its API key, for the guard. Throws 403 if the token has none of the scopes. */
export async function toKeyAuthorization(
  parts: Parts,
  authorization: string | undefined,
  scopes: readonly OneRosterScope[],
): Promise<string | undefined> {
  const token = parseBearerToken(authorization);
  if (!token || parseApiKey(token)) return authorization;
  const opened = await unsealToken<AccessToken>(parts, purpose, token);
  if (!opened) return undefined;
  if (!opened.scopes.some((scope) => scopes.includes(scope))) throw new OneRosterError(403, "forbidden");
  return `Bearer ${opened.key}`;
}
