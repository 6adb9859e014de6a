import type { ExtraDepsFactory } from "../deps.ts";
import { chooseFileStore } from "../platform/file-store/choose-file-store.ts";

/** For functions that bundle the file store's client. */
export const fileStoreDeps: ExtraDepsFactory = ({ config, now }) => ({
  fileStore: chooseFileStore(config, now),
});
