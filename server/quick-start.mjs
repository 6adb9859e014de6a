/*
 * For `node --import`: has a process begin with what others before it have compiled. Not TypeScript, since Node keeps
 * for good what it once needed to read it: 24 MB of each process.
 */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// In the environment, since the processes and threads that it starts are to have it too.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url));
enableCompileCache();
await import("./resolve-once.ts");
