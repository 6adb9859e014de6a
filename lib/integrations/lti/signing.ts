import { createPrivateKey } from "node:crypto";
import { sql } from "drizzle-orm";
import { type JWTPayload, SignJWT } from "jose";
import * as z from "zod";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { decryptByEither } from "../../platform/secrets/encryption.ts";
import { signingAlgorithm } from "../../platform/secrets/signing-key-pair.ts";
import { toolKeyPurpose } from "./keys.ts";

type Parts = Pick<Deps, "now"> & {
  db: ReadDb;
  config: Pick<Config, "SECRET_KEY" | "SECRET_KEY_PREVIOUS">;
};

const Signing = z.object({ id: z.string(), private_key: z.string() });

/** `seconds` is the lifetime; this service sets `iat` and `exp`. */
export type JwtToSign = { claims: JWTPayload; seconds: number };

/** Uses the current key. Throws before the first keys are made. */
export async function signToolJwt(
  { db, config, now }: Parts,
  { claims, seconds }: JwtToSign,
): Promise<string> {
  const moment = now();
  const [key] = await rowsOf(
    db,
    Signing,
    sql`select id, private_key from lti_keys where signs_from <= ${moment.toISOString()}
        order by serial_number desc limit 1`,
  );
  if (!key) throw new Error("the tool has no LTI key yet");
  const { text } = decryptByEither(key.private_key, config, toolKeyPurpose);
  const iat = Math.floor(moment.getTime() / 1000);
  return new SignJWT({ ...claims, iat, exp: iat + seconds })
    .setProtectedHeader({ alg: signingAlgorithm, kid: key.id, typ: "JWT" })
    .sign(createPrivateKey(text));
}
