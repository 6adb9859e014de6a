import { availableParallelism } from "node:os";
import { FairLimit } from "./fair-limit.ts";

/**
 * Turns for work of unknown callers. A network with many requests delays only itself. A Lambda function
 * serves one request at a time and never waits.
 */
export const fairLimits = {
  processor: new FairLimit({ atOnce: Math.min(4, availableParallelism()) }),
  /** Slow identity providers and LMSs: one network cannot hold all turns. */
  outbound: new FairLimit({ atOnce: 32, ofOneNetwork: 8 }),
  database: new FairLimit({ atOnce: 4 }),
};

export type SharedResource = keyof typeof fairLimits;
