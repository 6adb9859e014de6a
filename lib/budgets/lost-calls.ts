import { sql } from "drizzle-orm";
import { countUntilNone } from "../db/batches.ts";
import type { Db } from "../db/client.ts";

const atOnce = 500;

/** Takes calls of the LLM whose makers were killed for lost, and gives back the tokens that they reserved; answers how many. */
export const loseForgottenCalls = (db: Db, signal: AbortSignal): Promise<number> =>
  countUntilNone(db, sql`lose_forgotten_calls(${atOnce})`, signal);
