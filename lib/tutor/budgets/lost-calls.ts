import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { repeatInStepsUntilZero } from "../../platform/db/query/steps.ts";

const lostCallsExpiredPerStep = 500;

/** Releases reserved tokens of crashed producers' calls. */
export const expireLostCalls = (db: Db, signal: AbortSignal): Promise<number> =>
  repeatInStepsUntilZero(db, { rows: lostCallsExpiredPerStep, signal }, expireLostCallsSql);

/** Calls open longer than any answer takes: their producers were killed. A batch's calls get three days. */
export const expireLostCallsSql = (most: SQL | number): SQL => sql`mark_llm_calls_lost_releasing_tokens(array(
  select id from llm_calls where outcome = 'started' and started_at < service_now() - 2 * answer_time_limit()
    and (not is_batch or started_at < service_now() - interval '3 days')
  order by id limit ${most} for update skip locked))`;
