import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, exportJWK, type JWK } from "jose";

/** The minimum that Open Badges and LTI require of verifiers. */
export const signingAlgorithm = "RS256";

/** As strong as the 128 bits used elsewhere. */
const keyBits = 3072;

/** `id` is the key's thumbprint (RFC 7638), `pem` its private part. */
export type SigningKeyPair = { id: string; public_jwk: JWK; pem: string };

export async function createSigningKeyPair(): Promise<SigningKeyPair> {
  const pair = await promisify(generateKeyPair)("rsa", { modulusLength: keyBits });
  const own = await exportJWK(pair.publicKey);
  return {
    id: await calculateJwkThumbprint(own),
    public_jwk: { ...own, alg: signingAlgorithm, use: "sig" },
    pem: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
