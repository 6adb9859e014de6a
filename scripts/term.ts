/**
 * `npm run term`: simulates a university's term week by week, with a moving clock. Prints it as a calendar,
 * checks every report and screen, and exits with 1 on any difference; see `-- --help`.
 */
import { calendarPrinter } from "../proof/term-simulation/calendar.ts";
import { openOwnDatabase } from "../proof/term-simulation/database.ts";
import { flagsOf } from "../proof/term-simulation/flags.ts";
import { runTerm } from "../proof/term-simulation/run.ts";

const flags = flagsOf();
try {
  await using database = await openOwnDatabase();
  const { text, differences } = await runTerm(flags, database.url, calendarPrinter());
  console.log(text);
  process.exitCode = differences.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
