import type { Config } from "../../config.ts";

export type FileStoreSettings = Pick<
  Config,
  "FILE_STORE" | "ENVIRONMENT" | "onLambda" | "SECRET_KEY" | "SECRET_KEY_PREVIOUS"
>;

/** In development and staging. */
const defaultFileStoreFolder = ".data/files";

/** Undefined in production and on Lambda without a setting. */
export function resolveFileStoreSetting({ FILE_STORE, ENVIRONMENT, onLambda }: FileStoreSettings) {
  const usual = { kind: "folder", path: defaultFileStoreFolder } as const;
  return FILE_STORE ?? (ENVIRONMENT === "production" || onLambda ? undefined : usual);
}

/** CSP sources for direct uploads and downloads; none for a folder, which the service serves. */
export function fileStoreCspSources(setting: ReturnType<typeof resolveFileStoreSetting>): string[] {
  if (setting?.kind !== "s3") return [];
  const { bucket, region, endpoint, pathStyle } = setting;
  const { protocol, host } = new URL(endpoint ?? `https://s3.${region}.${awsHost(region)}`);
  // TLS wildcard certificates do not cover bucket names with dots.
  const isInPath = pathStyle || (protocol === "https:" && bucket.includes("."));
  return [isInPath ? `${protocol}//${host}/${bucket}/` : `${protocol}//${bucket}.${host}/`];
}

const awsHost = (region: string): string => (region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com");
