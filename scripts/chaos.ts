/**
 * `npm run chaos`: learners use the tutor while everything around them fails. Prints observations and exits
 * with 1 on a violation; see `-- --help`.
 */
import { stdout } from "node:process";
import { parseChaosFlags } from "../proof/chaos/flags.ts";
import { runChaos } from "../proof/chaos/run.ts";

/** One updating line on a terminal, otherwise a line every ten seconds. */
function progressPrinter(): (line: string) => void {
  let printed = 0;
  return (line) => {
    printed += 1;
    if (stdout.isTTY) stdout.write(`\r${line.padEnd(100)}`);
    else if (printed % 10 === 0) stdout.write(`${line}\n`);
  };
}

const flags = parseChaosFlags();
try {
  const { text, violations } = await runChaos(flags, { onProgress: progressPrinter() });
  console.log(`\n${text}`);
  process.exitCode = violations.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
