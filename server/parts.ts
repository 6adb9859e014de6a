import type { ExtraDepsFactory } from "../lib/deps.ts";
import { fileStoreDeps } from "../lib/files/file-store-deps.ts";
import { cloudDeps } from "../lib/identity/credentials/cloud-deps.ts";

export const serverParts: ExtraDepsFactory = (base) => ({ ...cloudDeps(base), ...fileStoreDeps(base) });
