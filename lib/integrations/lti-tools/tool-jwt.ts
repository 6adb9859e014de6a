import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { remoteKeysAt } from "../lti/id-token.ts";

/** A tool's keys: at an address, or stored. */
export const ToolKeys = z.object({
  jwks_url: z.string().nullable(),
  public_jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).nullable(),
});
export type ToolKeys = z.output<typeof ToolKeys>;

/** The reason is for the tool's developer. */
export class InvalidToolJwt extends Error {
  override name = "InvalidToolJwt";
}

/** Clock skew of a tool, in seconds. */
const skewSeconds = 60;

/** Longest validity of an assertion, in seconds: its `jti` is remembered for an hour. */
const longestSeconds = 3000;

/**
 * Verifies signature, issuer, audience and times. `jti` or `nonce` must be present, and is returned as `unique`.
 * Throws `InvalidToolJwt`.
 */
export async function verifyToolJwt(
  { config, now }: Pick<Deps, "config" | "now">,
  { jwks_url, public_jwks }: ToolKeys,
  token: string,
  expected: { issuer: string; audience: readonly string[]; uniqueBy: "jti" | "nonce" },
): Promise<{ payload: JWTPayload; unique: string }> {
  try {
    const keys = jwks_url
      ? remoteKeysAt(config, jwks_url)
      : createLocalJWKSet((public_jwks ?? { keys: [] }) as JSONWebKeySet);
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ["RS256"],
      issuer: expected.issuer,
      audience: [...expected.audience],
      requiredClaims: ["exp", "iat", expected.uniqueBy],
      currentDate: now(),
      clockTolerance: skewSeconds,
    });
    const { exp = 0, iat = 0 } = payload;
    const unique = payload[expected.uniqueBy];
    if (typeof unique !== "string" || unique.length > 512)
      throw new InvalidToolJwt(`${expected.uniqueBy} is invalid`);
    if (exp - iat > longestSeconds) throw new InvalidToolJwt("exp is over 50 minutes after iat");
    if (iat > now().getTime() / 1000 + skewSeconds) throw new InvalidToolJwt("iat is in the future");
    return { payload, unique };
  } catch (error) {
    if (error instanceof InvalidToolJwt) throw error;
    const reason = error instanceof errors.JOSEError ? error.message : "the tool's keys cannot be read";
    throw new InvalidToolJwt(reason, { cause: error });
  }
}
