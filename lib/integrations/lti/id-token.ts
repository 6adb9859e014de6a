import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { publicFetch } from "../../identity/auth/public-fetch.ts";
import { fairLimits } from "../../platform/async/fair-limits.ts";
import { memoizeLru } from "../../platform/caching/lru.ts";
import type { KnownPlatform } from "./known-platform.ts";
import { developmentPlatformFetch, type PlatformFetch } from "./platform-fetch.ts";
import { LtiRefusal, type RefusalReason } from "./refusals.ts";

const keysKeptMs = 600_000;
const keysCooldownMs = 60_000;
const keysTimeoutMs = 5000;

/** A platform's maximum clock skew, in seconds. */
const skewSeconds = 300;

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** By address; development uses another fetch. */
const keySets = {
  public: memoizeLru(500, (url: string) => keySetAt(url, publicFetch)),
  local: memoizeLru(500, (url: string) => keySetAt(url, developmentPlatformFetch)),
};

const keySetAt = (url: string, read: PlatformFetch): KeySet =>
  createRemoteJWKSet(new URL(url), {
    cacheMaxAge: keysKeptMs,
    cooldownDuration: keysCooldownMs,
    timeoutDuration: keysTimeoutMs,
    [customFetch]: (address, { method, headers, signal }) =>
      fairLimits.outbound.run(
        () => read(address, { method, headers: Object.fromEntries(headers), signal }),
        // All launches of the platform wait for these keys.
        { evenAlone: true },
      ),
  });

type Parts = Pick<Deps, "config" | "now">;

/** Cached by address. Deployments reach only https on the public internet. */
export const remoteKeysAt = ({ ENVIRONMENT }: Pick<Config, "ENVIRONMENT">, url: string): KeySet =>
  keySets[ENVIRONMENT === "development" ? "local" : "public"](url);

/**
 * Verifies signature, issuer, audience, times and nonce. Only RS256 by a published key that the token names.
 * With several audiences `azp` must name this tool. Throws `LtiRefusal`.
 */
export async function verifyIdToken(
  { config, now }: Parts,
  platform: KnownPlatform,
  token: string,
  nonce: string,
): Promise<JWTPayload> {
  const keys = remoteKeysAt(config, platform.jwks_url);
  const moment = now();
  try {
    const { payload } = await jwtVerify(
      token,
      (header, jws) => {
        if (!header.kid) throw new LtiRefusal("signature");
        return keys(header, jws);
      },
      {
        algorithms: ["RS256"],
        issuer: platform.issuer,
        audience: platform.client_id,
        requiredClaims: ["exp", "iat", "nonce"],
        currentDate: moment,
      },
    );
    ensureOwn(payload, platform, nonce, moment);
    return payload;
  } catch (error) {
    throw error instanceof LtiRefusal ? error : new LtiRefusal(reasonOf(error), error);
  }
}

function ensureOwn(
  { aud, azp, iat = 0, nonce: given }: JWTPayload,
  { client_id }: KnownPlatform,
  nonce: string,
  moment: Date,
): void {
  const isForSeveral = Array.isArray(aud) && aud.length > 1;
  if (isForSeveral ? azp !== client_id : azp !== undefined && azp !== client_id)
    throw new LtiRefusal("audience");
  if (Math.abs(moment.getTime() / 1000 - iat) > skewSeconds) throw new LtiRefusal("not_yet");
  if (given !== nonce) throw new LtiRefusal("nonce");
}

const reasonsByCode: Readonly<Record<string, RefusalReason>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: "signature",
  ERR_JOSE_NOT_SUPPORTED: "signature",
  ERR_JWS_INVALID: "signature",
  ERR_JWT_INVALID: "signature",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "signature",
  ERR_JWKS_NO_MATCHING_KEY: "signature",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "signature",
  ERR_JWT_EXPIRED: "expired",
};

function reasonOf(error: unknown): RefusalReason {
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "iss" || error.claim === "aud") return "audience";
    if (error.claim === "nbf") return "not_yet";
    return error.claim === "nonce" ? "nonce" : "claims";
  }
  const code = error instanceof errors.JOSEError ? error.code : "";
  return reasonsByCode[code] ?? "keys_unreachable";
}
