import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { sealToken, unsealToken } from "../../identity/auth/sealing.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import { scopesGrantedToTools, type ToolScope } from "../lti/service-scopes.ts";
import { ltiPlatformEndpoints } from "./tool-addresses.ts";
import { InvalidToolJwt, ToolKeys, verifyToolJwt } from "./tool-jwt.ts";

type Parts = Pick<Deps, "config" | "now">;

/** In seconds. */
const lifetime = 3600;

const purpose = "access token of a tool of LTI";

type AccessToken = { tool_id: number; scopes: ToolScope[] };

/** An error of RFC 6749 (5.2). */
export class TokenRefusal extends Error {
  override name = "TokenRefusal";
  readonly status: 400 | 401;
  readonly error: string;

  constructor(
    error: "invalid_request" | "invalid_client" | "invalid_scope" | "unsupported_grant_type",
    words: string,
    cause?: unknown,
  ) {
    super(words, { cause });
    this.error = error;
    this.status = error === "invalid_client" ? 401 : 400;
  }
}

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const Known = ToolKeys.extend({ id: z.int() });

/**
 * An access token for client credentials with a signed assertion (RFC 7523), whose `jti` counts once. Throws
 * `TokenRefusal`.
 */
export async function grantToolAccess(
  parts: Parts & { db: Db },
  form: Record<string, string>,
  service: string,
): Promise<{ access_token: string; token_type: "Bearer"; expires_in: number; scope: string }> {
  if (form["grant_type"] !== "client_credentials")
    throw new TokenRefusal("unsupported_grant_type", "grant_type must be client_credentials");
  const { client_assertion: assertion } = form;
  if (form["client_assertion_type"] !== assertionType || !assertion || assertion.length > 10_000)
    throw new TokenRefusal(
      "invalid_request",
      `client_assertion must be a JWT, and client_assertion_type ${assertionType}`,
    );
  const scopes = scopesGrantedToTools.filter((scope) => form["scope"]?.split(" ").includes(scope));
  if (scopes.length === 0) throw new TokenRefusal("invalid_scope", "scope has no scope of this service");
  const client = clientOf(assertion);
  const [tool] = await rowsOf(
    parts.db,
    Known,
    sql`select tool.id, tool.jwks_url, tool.public_jwks from lti_tools as tool
        left join universities as university on university.id = tool.university_id
        where tool.client_id = ${client} and (tool.university_id is null or university.is_active)`,
  );
  if (!tool) throw new TokenRefusal("invalid_client", "No tool with this client id is registered");
  const { token, issuer } = ltiPlatformEndpoints(service);
  const { payload, unique } = await verifyToolJwt(parts, tool, assertion, {
    issuer: client,
    audience: [token, issuer],
    uniqueBy: "jti",
  }).catch((error: unknown) => {
    throw error instanceof InvalidToolJwt ? new TokenRefusal("invalid_client", error.message, error) : error;
  });
  if (payload.sub !== client) throw new TokenRefusal("invalid_client", "sub must be the client id");
  if (!(await tryClaimNameForHour(parts, `assertion of LTI tool ${tool.id} ${unique}`)))
    throw new TokenRefusal("invalid_client", "jti was already used");
  const granted: AccessToken = { tool_id: tool.id, scopes };
  const access_token = await sealToken(parts, purpose, lifetime, granted);
  return { access_token, token_type: "Bearer", expires_in: lifetime, scope: scopes.join(" ") };
}

/** The issuer, unverified: it selects the keys. */
function clientOf(assertion: string): string {
  try {
    const { iss } = JSON.parse(Buffer.from(assertion.split(".")[1] ?? "", "base64url").toString()) as {
      iss: unknown;
    };
    if (typeof iss === "string" && /^[\w-]{1,64}$/.test(iss)) return iss;
  } catch {
    // Falls through: not a JWT.
  }
  throw new TokenRefusal("invalid_client", "client_assertion is not a JWT with the client id as iss");
}

const Claimed = z.object({ is_first: z.boolean() });

/** False if the name was claimed within an hour. */
export async function tryClaimNameForHour(
  { db, now }: Pick<Parts, "now"> & { db: Db },
  name: string,
): Promise<boolean> {
  const [claimed] = await rowsOf(
    db,
    Claimed,
    sql`select claim_single_use_key_for_hour(${fingerprint(name)}, ${now().toISOString()}) as is_first`,
  );
  return claimed?.is_first ?? false;
}

export type ToolCaller = { tool_id: number };

/** The tool of an access token with one of the scopes; 401 or 403 otherwise. */
export async function findCallingTool(
  parts: Parts,
  authorization: string | undefined,
  scopes: readonly ToolScope[],
): Promise<ToolCaller | 401 | 403> {
  const [, sealed = ""] = /^Bearer +(\S{1,4000})$/i.exec(authorization ?? "") ?? [];
  const token = sealed && (await unsealToken<AccessToken>(parts, purpose, sealed));
  if (!token) return 401;
  return scopes.some((scope) => token.scopes.includes(scope)) ? token : 403;
}
