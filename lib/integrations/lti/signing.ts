import { createPrivateKey } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { type JWTPayload, SignJWT } from "jose";
import * as z from "zod";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { decryptByCurrentOrPrevious } from "../../platform/secrets/encryption.ts";
import { signingAlgorithm } from "../../platform/secrets/signing-key-pair.ts";
import { toolKeyPurpose } from "./keys.ts";

type Parts = Pick<Deps, "now"> & {
  db: ReadDb;
  config: Pick<Config, "SECRET_KEY" | "SECRET_KEY_PREVIOUS">;
};

export const SigningKey = z.object({ id: z.string(), private_key: z.string() });
export type SigningKey = z.output<typeof SigningKey>;

/** `seconds` is the lifetime; this service sets `iat` and `exp`. */
export type JwtToSign = { claims: JWTPayload; seconds: number };

/** The current key, for a statement that reads it with other rows. No row before the first keys are made. */
export const currentSigningKeyQuery = (moment: Date): SQL => sql`
  select id, private_key from lti_keys where signs_from <= ${moment.toISOString()}
  order by serial_number desc limit 1`;

/** Uses the current key. Throws before the first keys are made. */
export async function signToolJwt(parts: Parts, jwt: JwtToSign): Promise<string> {
  const [key] = await rowsOf(parts.db, SigningKey, currentSigningKeyQuery(parts.now()));
  if (!key) throw new Error("the tool has no LTI key yet");
  return signWithKey(parts, key, jwt);
}

export async function signWithKey(
  { config, now }: Pick<Parts, "config" | "now">,
  key: SigningKey,
  { claims, seconds }: JwtToSign,
): Promise<string> {
  const { text } = decryptByCurrentOrPrevious(key.private_key, config, toolKeyPurpose);
  const iat = Math.floor(now().getTime() / 1000);
  return new SignJWT({ ...claims, iat, exp: iat + seconds })
    .setProtectedHeader({ alg: signingAlgorithm, kid: key.id, typ: "JWT" })
    .sign(createPrivateKey(text));
}
