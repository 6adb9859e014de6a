import type { Config } from "../config.ts";

export type FileStoreSettings = Pick<
  Config,
  "FILE_STORE" | "ENVIRONMENT" | "onLambda" | "SECRET_KEY" | "SECRET_KEY_PREVIOUS"
>;

/** Where files are kept when nothing else is said, in development and staging. */
const usualFolder = ".data/files";

/** The setting, or the usual folder; undefined in production and on Lambda where nothing is said. */
export function fileStoreSettingOf({ FILE_STORE, ENVIRONMENT, onLambda }: FileStoreSettings) {
  const usual = { kind: "folder", path: usualFolder } as const;
  return FILE_STORE ?? (ENVIRONMENT === "production" || onLambda ? undefined : usual);
}

/**
 * Where browsers send bytes and read them, as a content security policy names it; nowhere but at the service itself for a
 * folder. Pure.
 */
export function storeSources(setting: ReturnType<typeof fileStoreSettingOf>): string[] {
  if (setting?.kind !== "s3") return [];
  const { bucket, region, endpoint, pathStyle } = setting;
  const { protocol, host } = new URL(endpoint ?? `https://s3.${region}.${awsHost(region)}`);
  // No certificate holds for a name with dots below another name.
  const isInPath = pathStyle || (protocol === "https:" && bucket.includes("."));
  return [isInPath ? `${protocol}//${host}/${bucket}/` : `${protocol}//${bucket}.${host}/`];
}

const awsHost = (region: string): string => (region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com");
