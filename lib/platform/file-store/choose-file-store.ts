import { type FileStore, unconfiguredFileStore } from "./file-store.ts";
import { folderStore } from "./folder/folder-store.ts";
import { s3Store } from "./s3/s3-store.ts";
import { type FileStoreSettings, resolveFileStoreSetting } from "./setting.ts";

/** Without a setting, a store that throws 503. */
export function chooseFileStore(settings: FileStoreSettings, now: () => Date): FileStore {
  const setting = resolveFileStoreSetting(settings);
  if (!setting) return unconfiguredFileStore;
  return setting.kind === "folder" ? folderStore(setting.path, settings, now) : s3Store(setting, now);
}
