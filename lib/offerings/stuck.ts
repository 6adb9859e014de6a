import { type SQL, sql } from "drizzle-orm";
import { stuckAfterDays } from "../../schema/api/stuck.ts";

/** Since when whoever is stuck has done nothing, for `stuck_people` (schema/functions/to-do.sql), which says who they are. */
export const stuckSince = (now: Date): SQL =>
  sql`${now.toISOString()}::timestamptz - make_interval(days => ${stuckAfterDays})`;
