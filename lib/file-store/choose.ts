import type { Config } from "../config.ts";
import { type FileStore, noFileStore } from "./file-store.ts";
import { folderStore } from "./folder/folder-store.ts";
import { s3Store } from "./s3/s3-store.ts";

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

/** The store that the settings name; one that answers 503 where they name none. */
export function fileStoreOf(
  settings: FileStoreSettings,
  now: () => Date,
  timeoutSeconds?: number,
): FileStore {
  const setting = fileStoreSettingOf(settings);
  if (!setting) return noFileStore;
  return setting.kind === "folder"
    ? folderStore(setting.path, settings, now, timeoutSeconds)
    : s3Store(setting, now, timeoutSeconds);
}
