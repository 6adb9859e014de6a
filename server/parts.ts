import type { PartsFactory } from "../lib/deps.ts";
import { fileParts } from "../lib/files/file-parts.ts";
import { cloudParts } from "../lib/identity/credentials/cloud-parts.ts";

export const serverParts: PartsFactory = (base) => ({ ...cloudParts(base), ...fileParts(base) });
