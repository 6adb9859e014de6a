import { createHmac } from "node:crypto";
import type { Config } from "../../config.ts";
import { scormPackagesUrl } from "../../platform/file-store/packages-url.ts";
import { isSameInConstantTime } from "../../platform/secrets/constant-time.ts";
import { deriveEncryptionKey, type EncryptionSecrets } from "../../platform/secrets/encryption.ts";

type Settings = EncryptionSecrets & Parameters<typeof scormPackagesUrl>[0] & Pick<Config, "API_V1_PREFIX">;

const purpose = "addresses of SCORM packages";

const halfDay = 43_200;

/** Undefined if this service has no origin for packages. */
const packageOrigin = (config: Settings, fileId: number, requestUrl: string): string | undefined =>
  scormPackagesUrl(config, requestUrl)?.replace("*", `p${fileId}`);

/** The address below which a package's files are. Valid for 12 to 24 hours, so browsers can cache files. */
export function packageUrl(
  config: Settings,
  fileId: number,
  now: Date,
  requestUrl: string,
): string | undefined {
  const origin = packageOrigin(config, fileId, requestUrl);
  const expires = (Math.floor(now.getTime() / 1000 / halfDay) + 2) * halfDay;
  const token = `${fileId}.${expires}.${signatureOf(config.SECRET_KEY, fileId, expires)}`;
  return origin && `${origin}${config.API_V1_PREFIX}/scorm/packages/${token}`;
}

/** The package of a token; undefined if it is forged, expired, or used on another host. */
export function fileIdOfPackageToken(
  config: Settings,
  token: string,
  requestUrl: string,
  now: Date,
): number | undefined {
  const [, id = "", expiry = "", signature = ""] = /^(\d{1,16})\.(\d{1,12})\.([\w-]{43})$/.exec(token) ?? [];
  const [fileId, expires] = [Number(id), Number(expiry)];
  const origin = packageOrigin(config, fileId, requestUrl);
  if (origin === undefined || new URL(origin).host !== new URL(requestUrl).host) return undefined;
  if (expires <= now.getTime() / 1000) return undefined;
  const secrets = [config.SECRET_KEY, config.SECRET_KEY_PREVIOUS].filter((secret) => secret !== undefined);
  return secrets.some((secret) => isSameInConstantTime(signature, signatureOf(secret, fileId, expires)))
    ? fileId
    : undefined;
}

const signatureOf = (secret: string, fileId: number, expires: number): string =>
  createHmac("sha256", deriveEncryptionKey(secret, purpose))
    .update(`${fileId}.${expires}`)
    .digest("base64url");
