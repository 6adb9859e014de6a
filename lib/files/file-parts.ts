import type { PartsFactory } from "../deps.ts";
import { fileStoreOf } from "../file-store/choose.ts";

/** Where the bytes of files are kept: for the functions that carry the store's client. */
export const fileParts: PartsFactory = ({ config, now }) => ({ fileStore: fileStoreOf(config, now) });
