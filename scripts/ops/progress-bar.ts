import { stdout } from "node:process";

/** Told of each batch: what it is of, and how much of all is done. */
export type OnProgress = (what: string, done: number, all: number) => void;

const width = 30;

/** Draws how far a load is: on a terminal one line that fills, elsewhere a line for each thing that is loaded. */
export function progressBar(): OnProgress {
  let named = "";
  return (what, done, all) => {
    const share = Math.min(1, done / all);
    if (stdout.isTTY) {
      const bar = "█".repeat(Math.floor(width * share)).padEnd(width, "░");
      const line = `${bar} ${Math.floor(100 * share)} %  ${what}`;
      stdout.write(`\r${line.padEnd(width + 40)}${done >= all ? "\n" : ""}`);
    } else if (what !== named) stdout.write(`${what} …\n`);
    named = what;
  };
}

/** Aborts at Ctrl-C and at SIGTERM: the batch that is under way is ended first. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  return stop.signal;
}
