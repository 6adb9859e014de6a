import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { sumOfSteps } from "../db/query/steps.ts";

const atOnce = 500;

/** Takes calls of the LLM whose makers were killed for lost, and gives back the tokens that they reserved; answers how many. */
export const expireCalls = (db: Db, signal: AbortSignal): Promise<number> =>
  sumOfSteps(db, { rows: atOnce, signal }, (rows) => sql`expire_forgotten_calls(${rows})`);
