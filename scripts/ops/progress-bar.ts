import { stdout } from "node:process";

/** Called after each batch: its subject, and progress. */
export type OnProgress = (what: string, done: number, all: number) => void;

const width = 30;

/** Shows a load's progress: one filling line on a terminal, otherwise a line per subject. */
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

/** Aborts on Ctrl-C and SIGTERM, after the current batch. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  return stop.signal;
}
