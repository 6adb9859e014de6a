import { availableParallelism } from "node:os";
import { FairLimit } from "./fair-limit.ts";

/**
 * Turns for work that requests can cause before their caller is known. Networks take turns for each resource, so a
 * network with many requests delays only itself. A Lambda function serves one request at a time and never waits.
 */
export const fairLimits = {
  /** Worker threads that hash passwords and read SAML responses. */
  processor: new FairLimit({ atOnce: Math.min(4, availableParallelism()) }),
  /** Requests to identity providers and LMSs. They can be slow, so one network cannot hold all turns. */
  outbound: new FairLimit({ atOnce: 32, ofOneNetwork: 8 }),
  /** Statements that send mail to an address or look up an API key. */
  database: new FairLimit({ atOnce: 4 }),
};

export type SharedResource = keyof typeof fairLimits;
