import { loadConfig } from "../../lib/config.ts";
import { scheduled, wire } from "../../lib/deps.ts";
import { workImports } from "../../lib/imports/work.ts";
import { pacedFunction } from "../../lib/schedule/paced-function.ts";

const deps = scheduled(await wire(loadConfig()));

/** What is left of the function's time when it stops, for the batch that is under way. */
const reserveMilliseconds = 30_000;

/**
 * An event of the schedule, each minute, or of an import that begins: works on what imports have left, for a while after
 * one began, and else twice an hour. What is not done waits for the next event.
 */
export const handler = pacedFunction(deps, reserveMilliseconds, (signal) => workImports(deps, signal));
