import type { ExtraDepsFactory } from "../deps.ts";
import { fileStoreOf } from "../platform/file-store/choose-file-store.ts";

/** For functions that bundle the file store's client. */
export const fileStoreDeps: ExtraDepsFactory = ({ config, now }) => ({ fileStore: fileStoreOf(config, now) });
