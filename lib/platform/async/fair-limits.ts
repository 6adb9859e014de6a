import { availableParallelism } from "node:os";
import { FairLimit } from "./fair-limit.ts";

const processors = Math.min(4, availableParallelism());

/**
 * Turns for work of unknown callers. A network with many requests delays only itself. A Lambda function
 * serves one request at a time and never waits.
 */
export const fairLimits = {
  /** One network can use all processors, and another still begins at once. */
  processor: new FairLimit({ atOnce: processors + 1, ofOneNetwork: processors }),
  /** Slow identity providers and LMSs: one network cannot hold all turns. */
  outbound: new FairLimit({ atOnce: 32, ofOneNetwork: 8 }),
  database: new FairLimit({ atOnce: 4, ofOneNetwork: 2 }),
};

export type SharedResource = keyof typeof fairLimits;
