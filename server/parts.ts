import type { ExtraDepsFactory } from "../lib/deps.ts";
import { fileStoreDeps } from "../lib/files/file-parts.ts";
import { cloudDeps } from "../lib/identity/credentials/cloud-parts.ts";

export const serverParts: ExtraDepsFactory = (base) => ({ ...cloudDeps(base), ...fileStoreDeps(base) });
