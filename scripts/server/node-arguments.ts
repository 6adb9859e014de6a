/** What Node is told when it starts a process of the server. */
export const nodeArguments = ["--import", new URL("./resolve-once.ts", import.meta.url).href];
