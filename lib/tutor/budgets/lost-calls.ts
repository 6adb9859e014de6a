import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { sumOfSteps } from "../../platform/db/query/steps.ts";

const atOnce = 500;

/** Expires LLM calls of crashed producers and releases their reserved tokens; returns the number of calls. */
export const expireCalls = (db: Db, signal: AbortSignal): Promise<number> =>
  sumOfSteps(db, { rows: atOnce, signal }, (rows) => sql`expire_forgotten_calls(${rows})`);
