import { cloudParts } from "../lib/credentials/cloud-parts.ts";
import type { PartsFactory } from "../lib/deps.ts";
import { fileParts } from "../lib/files/file-parts.ts";

export const serverParts: PartsFactory = (base) => ({ ...cloudParts(base), ...fileParts(base) });
