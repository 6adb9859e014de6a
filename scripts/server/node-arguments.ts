/** What Node is told when it starts a process of the server. */
export const nodeArguments = ["--import", new URL("./quick-start.mjs", import.meta.url).href];

/**
 * The same for a process that serves. With a bound of half a gigabyte V8 lets its heap grow to one and a half of what
 * lives there, and with none to four times as much. Its young generation is the largest with which a thousand answers
 * at once take less than 300 MB resident.
 */
export const servingArguments = [...nodeArguments, "--max-old-space-size=512", "--max-semi-space-size=8"];
