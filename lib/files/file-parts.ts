import type { PartsFactory } from "../deps.ts";
import { fileStoreOf } from "../platform/file-store/choose.ts";

/** The file store, for functions that bundle its client. */
export const fileParts: PartsFactory = ({ config, now }) => ({ fileStore: fileStoreOf(config, now) });
