import { createHmac } from "node:crypto";
import { isSameInConstantTime } from "../../secrets/constant-time.ts";
import { deriveEncryptionKey, type EncryptionSecrets } from "../../secrets/encryption.ts";

/** Below the public URL. */
export const storedFilesUrlPath = "/stored";

export type SignedUrlGrant = { method: "PUT" | "GET"; subpath: string; parameters: Record<string, string> };

const purpose = "addresses of the file store";

const separator = "\n";

/** `expires` is in seconds since 1970. */
export function signFileUrl(secret: string, grant: SignedUrlGrant, expires: number): string {
  const query = new URLSearchParams({ ...grant.parameters, expires: String(expires) });
  query.sort();
  query.append("signature", signatureOf(secret, grant, query.toString()));
  return `${storedFilesUrlPath}/${grant.subpath}?${query}`;
}

/** `forged` without a valid signature, `expired` after its end. */
export function verifyFileUrl(
  { SECRET_KEY, SECRET_KEY_PREVIOUS }: EncryptionSecrets,
  { method, url }: { method: SignedUrlGrant["method"]; url: URL },
  now: Date,
): SignedUrlGrant | "forged" | "expired" {
  const query = new URLSearchParams(url.search);
  const signature = query.get("signature") ?? "";
  query.delete("signature");
  const parameters = Object.fromEntries(query);
  const grant = { method, subpath: url.pathname.slice(storedFilesUrlPath.length + 1), parameters };
  const secrets = SECRET_KEY_PREVIOUS ? [SECRET_KEY, SECRET_KEY_PREVIOUS] : [SECRET_KEY];
  const isSigned = secrets.some((secret) =>
    isSameInConstantTime(signature, signatureOf(secret, grant, query.toString())),
  );
  if (!isSigned) return "forged";
  return Number(parameters["expires"]) > now.getTime() / 1000 ? grant : "expired";
}

const signatureOf = (secret: string, { method, subpath }: SignedUrlGrant, query: string): string =>
  createHmac("sha256", deriveEncryptionKey(secret, purpose))
    .update([method, subpath, query].join(separator))
    .digest("base64url");
