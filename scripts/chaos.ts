/**
 * `npm run chaos`: learners and the tutor, while everything around them fails. Prints what was seen, and exits with 1
 * when something was violated. `-- --help` says what it can be told.
 */
import { stdout } from "node:process";
import { flagsOf, usage } from "./chaos/flags.ts";
import { runChaos } from "./chaos/run.ts";

/** On a terminal one line that changes, elsewhere a line every ten seconds. */
function progressPrinter(): (line: string) => void {
  let printed = 0;
  return (line) => {
    printed += 1;
    if (stdout.isTTY) stdout.write(`\r${line.padEnd(100)}`);
    else if (printed % 10 === 0) stdout.write(`${line}\n`);
  };
}

if (process.argv.includes("--help")) console.log(usage);
else {
  try {
    const { text, violations } = await runChaos(flagsOf(process.argv.slice(2)), {
      onProgress: progressPrinter(),
    });
    console.log(`\n${text}`);
    process.exitCode = violations.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
