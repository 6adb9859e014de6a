import type { webcrypto } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import type { Config } from "../../config.ts";

export type TokenKind = "access" | "refresh";

export type TokenPair = { access_token: string; refresh_token: string; token_type: "bearer" };

export type TokenBearer = {
  id: number;
  /** Earlier versions are revoked; checked when the user is read. */
  token_version: number;
  /**
   * Sign-in by an identity provider, in seconds since 1970; undefined for passwords, which can be asked for
   * again.
   */
  signed_in_at?: number | undefined;
  /** The whole account if undefined. */
  reach?: TokenReach | undefined;
};

/**
 * An identity provider's sign-in is limited to its university, an LMS launch to one offering and its course.
 */
export type TokenReach = { university_id: number; offering_id?: number; course_id?: number };

/**
 * JSON Web Tokens: `{ sub, exp, type }`, HMAC, no leeway. `ver` is the token version (absent: 0), `auth_time`
 * is `signed_in_at`; `reach` has the same name.
 */
export type TokenService = {
  issue(person: Pick<TokenBearer, "id"> & Partial<TokenBearer>): Promise<TokenPair>;
  /** Undefined for anything but a valid token of this kind. */
  verify(token: string, kind: TokenKind): Promise<TokenBearer | undefined>;
  /** In seconds. */
  lifetime: Record<TokenKind, number>;
};

type TokenSettings = Pick<
  Config,
  | "SECRET_KEY"
  | "SECRET_KEY_PREVIOUS"
  | "ALGORITHM"
  | "ACCESS_TOKEN_EXPIRE_MINUTES"
  | "REFRESH_TOKEN_EXPIRE_DAYS"
>;

export function createTokenService(config: TokenSettings, now: () => Date): TokenService {
  const key = hmacKey(config, config.SECRET_KEY);
  const previous = config.SECRET_KEY_PREVIOUS ? hmacKey(config, config.SECRET_KEY_PREVIOUS) : undefined;
  const lifetime = {
    access: config.ACCESS_TOKEN_EXPIRE_MINUTES * 60,
    refresh: config.REFRESH_TOKEN_EXPIRE_DAYS * 86_400,
  };

  const sign = async (
    { id, token_version: ver, signed_in_at: auth_time, reach }: Partial<TokenBearer>,
    kind: TokenKind,
  ) =>
    new SignJWT({ type: kind, ...(ver && { ver }), ...(auth_time && { auth_time }), ...(reach && { reach }) })
      .setProtectedHeader({ alg: config.ALGORITHM, typ: "JWT" })
      .setSubject(String(id))
      .setExpirationTime(Math.floor(now().getTime() / 1000) + lifetime[kind])
      .sign(await key);

  /** The signature is verified once, expiry on each use, the version with the user. */
  const cache = new Map<string, Claims>();

  const verifiedClaims = async (token: string): Promise<Claims | undefined> => {
    const options = { algorithms: [config.ALGORITHM], requiredClaims: ["sub", "exp"], currentDate: now() };
    const verifiedWith = async (known: typeof key | undefined) =>
      known && jwtVerify(token, await known, options).catch(() => undefined);
    const verified = (await verifiedWith(key)) ?? (await verifiedWith(previous));
    const { sub, exp = 0, type, ver = 0, auth_time, reach } = verified?.payload ?? {};
    const id = userIdOf(sub);
    if (!id || (type !== "access" && type !== "refresh") || !isCount(ver)) return undefined;
    // An unknown scope must not count as no scope.
    if (reach !== undefined && !isReach(reach)) return undefined;
    const signed_in_at = isCount(auth_time) ? auth_time : undefined;
    const bearer = { id, token_version: ver, signed_in_at, reach };
    const claims: Claims = { bearer, kind: type, expires: exp };
    if (cache.size >= maxCached) cache.clear();
    cache.set(token, claims);
    return claims;
  };

  return {
    lifetime,
    async issue(person) {
      const [access_token, refresh_token] = await Promise.all([
        sign(person, "access"),
        sign(person, "refresh"),
      ]);
      return { access_token, refresh_token, token_type: "bearer" };
    },
    async verify(token, kind) {
      const claims = cache.get(token) ?? (await verifiedClaims(token));
      if (!claims || claims.kind !== kind || claims.expires <= now().getTime() / 1000) return undefined;
      return claims.bearer;
    },
  };
}

type Claims = { bearer: TokenBearer; kind: TokenKind; expires: number };

/** Verified tokens per process, some 300 bytes each. */
const maxCached = 10_000;

/** Imported once: an import per request would cost more than the signature. */
function hmacKey({ ALGORITHM }: TokenSettings, secret: string): Promise<webcrypto.CryptoKey> {
  const hash = ALGORITHM.replace("HS", "SHA-");
  const imported = crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash },
    false,
    ["sign", "verify"],
  );
  return imported;
}

const isReach = (value: unknown): value is TokenReach =>
  typeof value === "object" &&
  value !== null &&
  [1, 3].includes(Object.keys(value).length) &&
  "university_id" in value &&
  isCount(value.university_id) &&
  (Object.keys(value).length === 1 ||
    ("offering_id" in value &&
      isCount(value.offering_id) &&
      "course_id" in value &&
      isCount(value.course_id)));

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

/** Our tokens have a text subject; the type allows more. */
function userIdOf(subject: unknown): number | undefined {
  if (typeof subject !== "string" || !/^[1-9]\d{0,9}$/.test(subject)) return undefined;
  const id = Number(subject);
  return id <= 2_147_483_647 ? id : undefined;
}
