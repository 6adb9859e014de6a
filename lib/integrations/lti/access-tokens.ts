import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { memoizeLru } from "../../platform/caching/lru.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { ServiceFailure } from "./service-failure.ts";
import { fetchPlatformResponse, isHtmlResponse } from "./service-fetch.ts";
import { signToolJwt } from "./signing.ts";

export type PlatformServiceDeps = Pick<Deps, "now"> & {
  db: ReadDb;
  config: Pick<Config, "ENVIRONMENT" | "SECRET_KEY" | "SECRET_KEY_PREVIOUS">;
};

export type PlatformTokenEndpoint = { client_id: string; auth_token_url: string };

/** Longer than clock skew, within what platforms accept. */
const assertionSeconds = 300;

/** A token must still be valid on arrival. */
const marginMs = 30_000;

/** Lifetime of a token without `expires_in`; a rejected one is requested again. */
const defaultAccessTokenSeconds = 3600;

const Granted = z.object({
  access_token: z.string().min(1).max(16_000),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

/** An error code of RFC 6749 (5.2). */
const Refused = z.object({ error: z.string().regex(/^[a-z_]{1,60}$/) });

type Token = { text: string; until: number };

/** By platform and scope; concurrent callers share one request. */
const tokens = memoizeLru(2000, (_key: string): Kept => ({ token: undefined, asked: undefined }));

type Kept = { token: Token | undefined; asked: Promise<Token> | undefined };

const keyOf = ({ client_id, auth_token_url }: PlatformTokenEndpoint, scope: string): string =>
  [auth_token_url, client_id, scope].join(" ");

/** Cached for the token's lifetime (client credentials with a signed assertion). Throws `ServiceFailure`. */
export async function getPlatformAccessToken(
  parts: PlatformServiceDeps,
  platform: PlatformTokenEndpoint,
  scope: string,
): Promise<string> {
  const kept = tokens(keyOf(platform, scope));
  if (kept.token && kept.token.until > parts.now().getTime()) return kept.token.text;
  kept.asked ??= requestPlatformAccessToken(parts, platform, scope).finally(() => {
    kept.asked = undefined;
  });
  kept.token = await kept.asked;
  return kept.token.text;
}

export function clearCachedAccessToken(platform: PlatformTokenEndpoint, scope: string): void {
  tokens(keyOf(platform, scope)).token = undefined;
}

/** Without the cache. Throws `ServiceFailure` with the reason. */
export async function requestPlatformAccessToken(
  parts: PlatformServiceDeps,
  platform: PlatformTokenEndpoint,
  scope: string,
): Promise<Token> {
  const { client_id, auth_token_url } = platform;
  const claims = { iss: client_id, sub: client_id, aud: auth_token_url, jti: randomUUID() };
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await signToolJwt(parts, { claims, seconds: assertionSeconds }),
    scope,
  });
  const answer = await fetchPlatformResponse(parts, auth_token_url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: form.toString(),
  });
  const told = isHtmlResponse(answer) ? null : await answer.json().catch(() => null);
  const given = answer.ok ? Granted.safeParse(told) : null;
  // A platform without the newest key rejects the assertion; it works within an hour.
  if (!given?.success) {
    const { data: reason } = Refused.safeParse(told);
    const words = `it gave no token, and answered ${answer.status}`;
    throw new ServiceFailure(reason ? `${words}, ${reason.error}` : words, "later", {
      ...{ status: answer.status, isAway: true, code: reason?.error },
    });
  }
  const { access_token, expires_in = defaultAccessTokenSeconds } = given.data;
  return { text: access_token, until: parts.now().getTime() + expires_in * 1000 - marginMs };
}
