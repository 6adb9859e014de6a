/** What Node is told when it starts a process of the server. */
export const nodeArguments = ["--import", new URL("./quick-start.mjs", import.meta.url).href];

/**
 * The same for a process that serves. With a bound of half a gigabyte V8 lets its heap grow to one and a half of what
 * lives there, and with none to four times as much. A young generation of 8 MB takes no more memory than one of 4 when a
 * thousand answers are given at once, one of 16 does; docs/performance.md says what each saves.
 */
export const servingArguments = [...nodeArguments, "--max-old-space-size=512", "--max-semi-space-size=8"];
