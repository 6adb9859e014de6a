import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { repeatInSteps } from "../db/query/steps.ts";

const atOnce = 100;

/**
 * Begins the items of attempts and submissions that were made before they did so by themselves, in steps, until
 * `signal`: the next time goes on from there. Answers how many steps were done.
 */
export const beginItemsOfBefore = (db: Db, signal: AbortSignal): Promise<number> =>
  repeatInSteps(db, { rows: atOnce, signal }, (rows) => sql`begin_items_of_before(${rows})`);
