import { type Poller, startPoller } from "../lib/async/poller.ts";
import type { Deps } from "../lib/deps.ts";
import { workImports } from "../lib/imports/work.ts";

/** A server looks this often; a function of a schedule is called instead. */
const pauseMilliseconds = 5000;

/** Works on what imports have left, until it is stopped. */
export const startImports = (deps: Deps): Poller =>
  startPoller((signal) => workImports(deps, signal), {
    pauseMilliseconds,
    onFailure: (error) => deps.log.warn({ reason: String(error) }, "an import could not be worked on"),
  });
