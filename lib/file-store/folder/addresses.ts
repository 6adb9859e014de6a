import { createHmac, timingSafeEqual } from "node:crypto";
import { keyFor, type Secrets } from "../../secrets/encryption.ts";

/** What every address of the folder begins with, behind where people reach the service. */
export const folderPath = "/stored";

/** What an address allows: writing or reading what is at that path below `folderPath`, as its parameters say. */
export type Grant = { method: "PUT" | "GET"; subpath: string; parameters: Record<string, string> };

const purpose = "addresses of the file store";

const separator = "\n";

/** The path and query of an address that allows that until a moment, in seconds since 1970. */
export function addressOf(secret: string, grant: Grant, expires: number): string {
  const query = new URLSearchParams({ ...grant.parameters, expires: String(expires) });
  query.sort();
  query.append("signature", signatureOf(secret, grant, query.toString()));
  return `${folderPath}/${grant.subpath}?${query}`;
}

/** What the address of a request allows; `forged` where nobody signed it for that, `expired` where it was too long ago. */
export function grantOf(
  { SECRET_KEY, SECRET_KEY_PREVIOUS }: Secrets,
  { method, url }: { method: Grant["method"]; url: URL },
  now: Date,
): Grant | "forged" | "expired" {
  const query = new URLSearchParams(url.search);
  const signature = query.get("signature") ?? "";
  query.delete("signature");
  const parameters = Object.fromEntries(query);
  const grant = { method, subpath: url.pathname.slice(folderPath.length + 1), parameters };
  const secrets = SECRET_KEY_PREVIOUS ? [SECRET_KEY, SECRET_KEY_PREVIOUS] : [SECRET_KEY];
  const isSigned = secrets.some((secret) => isSame(signature, signatureOf(secret, grant, query.toString())));
  if (!isSigned) return "forged";
  return Number(parameters["expires"]) > now.getTime() / 1000 ? grant : "expired";
}

const signatureOf = (secret: string, { method, subpath }: Grant, query: string): string =>
  createHmac("sha256", keyFor(secret, purpose))
    .update([method, subpath, query].join(separator))
    .digest("base64url");

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
