import { stdout } from "node:process";
import type { OnProgress } from "./load.ts";

const width = 30;

/** Draws how far a load is: on a terminal one line that fills, elsewhere a line for each thing that is loaded. */
export function progressBar(): OnProgress {
  let named = "";
  return (what, done, all) => {
    if (stdout.isTTY) {
      const filled = Math.floor((width * done) / all);
      const bar = "█".repeat(filled).padEnd(width, "░");
      const line = `${bar} ${Math.floor((100 * done) / all)} %  ${what}`;
      stdout.write(`\r${line.padEnd(width + 40)}${done === all ? "\n" : ""}`);
    } else if (what !== named) stdout.write(`${what} …\n`);
    named = what;
  };
}
