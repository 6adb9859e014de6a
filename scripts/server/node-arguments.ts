/** What Node is told when it starts a process of the server. */
export const nodeArguments = ["--import", new URL("./resolve-once.ts", import.meta.url).href];

/**
 * The same for a process that serves. V8 lets its heap grow to four times what lives there, with a bound of half a gigabyte
 * to one and a half, and told so by a fifth: how much of it is garbage no longer depends on when V8 comes to collect it.
 */
export const servingArguments = [
  ...nodeArguments,
  ...["--max-old-space-size=512", "--max-semi-space-size=4", "--heap-growing-percent=20"],
];
