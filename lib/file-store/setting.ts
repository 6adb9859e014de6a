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

/** Where browsers send bytes and read them: nowhere but at the service itself for a folder. Pure. */
export function storeOrigins(setting: ReturnType<typeof fileStoreSettingOf>): string[] {
  if (setting?.kind !== "s3") return [];
  const { protocol, host } = new URL(
    setting.endpoint ?? `https://s3.${setting.region}.${awsHost(setting.region)}`,
  );
  // Names with dots have no certificate below another name, and stand in the path.
  return [`${protocol}//${setting.bucket}.${host}`, `${protocol}//${host}`];
}

const awsHost = (region: string): string => (region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com");
