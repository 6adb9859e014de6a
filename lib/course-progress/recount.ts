import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { repeatInSteps } from "../db/query/steps.ts";

/** So few that whoever posts progress meanwhile waits for none of them for long. */
const peopleAtOnce = 200;

/**
 * Works out anew how far the people of the courses are whose outline was edited, in steps, until `signal`: the next time
 * goes on from there. Answers how many steps it took.
 */
export const recountProgress = (db: Db, signal?: AbortSignal): Promise<number> =>
  repeatInSteps(db, { rows: peopleAtOnce, signal }, (rows) => sql`look_anew(${rows}::int)`);
