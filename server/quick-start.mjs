/*
 * For `node --import`: enables the compile cache. TypeScript is excluded, since the cache would keep its
 * parser in memory (24 MB per process).
 */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// In the environment, so child processes and threads use it too.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url));
enableCompileCache();
await import("./resolve-once.ts");
