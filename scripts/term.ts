/**
 * `npm run term`: simulates a university's term week by week, with a moving clock. Prints it as a calendar,
 * checks every report and screen, and exits with 1 on any difference; see `-- --help`.
 */

import { startMigratedTemporaryPostgres } from "../proof/term-simulation/database.ts";
import { parseTermFlags } from "../proof/term-simulation/flags.ts";
import { runTermSimulation } from "../proof/term-simulation/run.ts";
import { createTermProgressPrinter } from "../proof/term-simulation/term-progress-printer.ts";

const flags = parseTermFlags();
try {
  await using database = await startMigratedTemporaryPostgres();
  const { text, differences } = await runTermSimulation(flags, database.url, createTermProgressPrinter());
  console.log(text);
  process.exitCode = differences.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
