import { sql } from "drizzle-orm";
import * as z from "zod";
import { Rollout } from "../../../schema/api/tutor/rollouts.ts";
import type { Deps } from "../../deps.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { doInSteps } from "../../platform/db/query/steps.ts";
import type { WarmSettings } from "../warming/topic.ts";
import { armStatisticsSql } from "./arm-statistics.ts";
import { ArmStatisticsRow, compareArms, exceededLimit } from "./compare.ts";
import { rolloutJsonSql } from "./rollout-json.ts";
import { beginTopicWarmings } from "./warm-topics.ts";

type WorkDeps = Pick<Deps, "db" | "now" | "log" | "metrics"> & { config: WarmSettings };

/** An arm's newest conversations read first; fewer if that is slow. */
const conversationsAtOnce = 1000;

/** In the first step of a promotion's warmings. */
const itemsAtOnce = 200;

const Due = z.object({ id: z.int(), is_running: z.boolean() });

/**
 * Stops rollouts with a significantly worse candidate, and warms topics of promoted ones, until the signal
 * aborts. While a rollout runs, the next check is due in a minute.
 */
export async function processRollouts(
  deps: WorkDeps,
  signal: AbortSignal,
): Promise<{ stopped_rollouts: number; warmings: number; nextDue?: Date | undefined }> {
  const due = await rowsOf(
    deps.db,
    Due,
    sql`select id, state = 'running' as is_running from prompt_rollouts
        where state = 'running' or warmed_to is not null order by id`,
  );
  let [stopped_rollouts, warmings] = [0, 0];
  for (const { id, is_running } of due) {
    if (signal.aborted) break;
    if (is_running) stopped_rollouts += (await stopIfWorse(deps, id, signal)) ? 1 : 0;
    else warmings += await warm(deps, id, signal);
  }
  return {
    stopped_rollouts,
    warmings,
    ...(due.length > 0 && { nextDue: new Date(deps.now().getTime() + 60_000) }),
  };
}

const Looked = z.object({ rollout: Rollout, base: ArmStatisticsRow, candidate: ArmStatisticsRow });

/** No effect if the rollout has ended by now. */
async function stopIfWorse(
  { db, log, metrics }: WorkDeps,
  id: number,
  signal: AbortSignal,
): Promise<boolean> {
  let reason: string | undefined;
  await doInSteps(db, { rows: conversationsAtOnce, signal }, async (tx, rows) => {
    reason = await stopInStep(tx, id, rows);
    return false;
  });
  if (reason === undefined) return false;
  log.warn({ rollout: id, reason }, "a rollout was stopped by its limit");
  metrics.rolloutEnded("by_itself");
  return true;
}

async function stopInStep(tx: Db, id: number, rows: number): Promise<string | undefined> {
  const [looked] = await rowsOf(
    tx,
    Looked,
    sql`select ${rolloutJsonSql(sql`one`)} as rollout, ${armStatisticsSql(sql`one.id`, "base", rows)} as base,
               ${armStatisticsSql(sql`one.id`, "candidate", rows)} as candidate
        from prompt_rollouts as one where one.id = ${id} and one.state = 'running'`,
  );
  const limit = looked && exceededLimit(compareArms(looked, looked.rollout.stop));
  if (!limit) return undefined;
  const stopped = await rowsOf(
    tx,
    z.object({ id: z.int() }),
    sql`select id from stop_rollout_and_notify(${id}, ${limit}, null, ${requestAuditJson()}::jsonb)`,
  );
  return stopped.length > 0 ? limit : undefined;
}

const Next = z.object({ items: z.array(z.int()).nullable() });

async function warm({ db, config }: WorkDeps, id: number, signal: AbortSignal): Promise<number> {
  let begun = 0;
  await doInSteps(db, { rows: itemsAtOnce, signal }, async (tx, rows) => {
    const [next] = await rowsOf(tx, Next, sql`select take_next_topics_to_warm(${id}, ${rows}) as items`);
    if (!next?.items) return false;
    begun += await beginTopicWarmings(tx, id, next.items, config);
    return true;
  });
  return begun;
}
