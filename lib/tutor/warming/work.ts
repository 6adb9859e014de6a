import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { startPoller } from "../../platform/async/poller.ts";
import type { OpenBatch } from "../../platform/batches/next-step.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  leaseNextWarmingQuery,
  releaseOrEndWarmingQuery,
  renewWarmingLeaseQuery,
  warmingLeaseRenewalMs,
} from "./lease.ts";
import { readWarmTopic, type WarmTopic, withFileTexts } from "./topic.ts";
import { abandonBatch, sendLevelAsBatchIfWorthwhile, stepBatch } from "./warm-batch.ts";
import { type WarmNodeDeps, type WarmNodeOutcome, warmNode } from "./warm-node.ts";

const maxConcurrentWarmings = 4;

/** Pause between checks of another producer's answer. */
const pauseMs = 500;

const Taken = z.object({
  id: z.int(),
  content_item_id: z.int(),
  prompt_id: z.int(),
  model: z.string(),
  prompt_fingerprint: z.string(),
  content_fingerprint: z.string(),
  by_batch: z.boolean(),
  batch: z.custom<OpenBatch>().nullable(),
});

type Taken = z.output<typeof Taken> & { token: string };

type WorkDeps = WarmNodeDeps & Pick<Deps, "now">;

const Open = z.object({ open: z.boolean() });

/**
 * Works on unleased warmings, oldest first, until none is left or the signal aborts. If some remain, the next
 * run is due in a minute.
 */
export async function processWarmings(
  deps: WorkDeps,
  signal: AbortSignal,
): Promise<{ warmed: number; nextDue?: Date | undefined }> {
  let warmed = 0;
  while (!signal.aborted) {
    const taken = await takeWarming(deps);
    if (!taken) break;
    await workWarming(deps, taken, signal);
    warmed += 1;
  }
  const [left] = await rowsOf(
    deps.db,
    Open,
    sql`select exists (select from warmings where state in ('waiting', 'running')) as open`,
  );
  return { warmed, ...(left?.open && { nextDue: new Date(deps.now().getTime() + 60_000) }) };
}

async function takeWarming({ db }: WorkDeps): Promise<Taken | undefined> {
  const token = crypto.randomUUID();
  const [row] = await rowsOf(
    db,
    Taken,
    sql`with one as (${leaseNextWarmingQuery(token)})
        select one.id, one.content_item_id, one.prompt_id, one.model, one.prompt_fingerprint, one.content_fingerprint,
               one.by_batch, (
                 select json_build_object(
                   'id', batch.id, 'marker', batch.marker, 'provider_id', batch.provider_id, 'requests', batch.requests,
                   'age_seconds', extract(epoch from clock_timestamp() - batch.sent_at),
                   'is_stopped', false, 'is_cancelled', batch.cancelled_at is not null)
                 from llm_batches as batch
                 where batch.warming_id = one.id and batch.state in ('gathering', 'sending', 'sent')) as batch
        from one`,
  );
  return row && { ...row, token };
}

/** Null if complete, undefined if another worker may continue. */
type End = "budget" | "llm" | "changed" | null | undefined;

async function workWarming(deps: WorkDeps, taken: Taken, stopping: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const lease = startPoller(
    async () => {
      if (!(await renew(deps, taken))) lost.abort();
    },
    {
      pauseMilliseconds: warmingLeaseRenewalMs,
      onFailure: (error) =>
        deps.log.warn({ reason: String(error) }, "a warming's lease could not be renewed"),
    },
  );
  let end: End;
  try {
    const topic = await topicOf(deps, taken);
    end = topic ? await makeAll(deps, taken, topic, signal) : "changed";
    if (!topic && taken.batch) await abandonBatch(deps, taken.batch);
  } finally {
    // After a failure the lease expires, so other warmings go first.
    await lease.stop();
  }
  await deps.db.execute(releaseOrEndWarmingQuery(taken.id, taken.token, end));
}

const Renewed = z.object({ id: z.int() });

async function renew({ db }: WorkDeps, { id, token }: Taken): Promise<boolean> {
  const [held] = await rowsOf(db, Renewed, renewWarmingLeaseQuery(id, token));
  return held !== undefined;
}

/** If unchanged since the warming was requested. */
async function topicOf({ db, config }: WorkDeps, taken: Taken): Promise<WarmTopic | undefined> {
  const topic = await readWarmTopic(db, taken.content_item_id, taken.prompt_id, config);
  const isSame =
    topic?.key.model === taken.model &&
    topic.key.prompt_fingerprint === taken.prompt_fingerprint &&
    topic.key.content_fingerprint === taken.content_fingerprint;
  return topic && isSame ? withFileTexts(db, topic, config.TUTOR_MATERIAL_CHARACTERS) : undefined;
}

const Left = z.object({
  id: z.int(),
  path: z.array(z.string()),
  batch_id: z.int().nullable(),
  call_id: z.int().nullable(),
});
type Left = z.output<typeof Left>;

/** Level by level: large ones as a batch, which a later run continues, others with four concurrent calls. */
async function makeAll(deps: WorkDeps, taken: Taken, topic: WarmTopic, signal: AbortSignal): Promise<End> {
  let { batch } = taken;
  while (!signal.aborted) {
    if (batch) {
      const ended = await stepBatch(deps, { ...taken, batch }, topic, await leftOfLevel(deps, taken), signal);
      if (!ended) return undefined;
      batch = null;
    }
    const left = await leftOfLevel(deps, taken);
    if (left.length === 0) return null;
    const sent = taken.by_batch ? await sendLevelAsBatchIfWorthwhile(deps, taken, topic, left) : undefined;
    const level = sent
      ? (await leftOfLevel(deps, taken)).filter(({ id, call_id }) => sent.has(id) && call_id === null)
      : left;
    const outcomes = new Set(await together(level, (node) => makeOne(deps, taken, topic, node, signal)));
    // The rest is decided when the batch ends.
    if (sent || outcomes.has("lost")) return undefined;
    if (outcomes.has("budget")) return "budget";
    if (outcomes.has("llm")) return "llm";
    if (outcomes.has("again")) await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

const leftOfLevel = ({ db }: WorkDeps, { id }: Taken): Promise<Left[]> =>
  rowsOf(
    db,
    Left,
    sql`select id, path, batch_id, call_id from warming_nodes
        where warming_id = ${id} and state = 'waiting' and level = (
          select min(level) from warming_nodes where warming_id = ${id} and state = 'waiting')
        order by id`,
  );

const makeOne = (deps: WorkDeps, { token }: Taken, topic: WarmTopic, node: Left, signal: AbortSignal) =>
  warmNode(deps, token, topic, { id: node.id, message: node.path.at(-1) ?? "" }, signal);

/** Starts none after an outcome that ends the warming. */
async function together<One>(
  ones: readonly One[],
  make: (one: One) => Promise<WarmNodeOutcome>,
): Promise<WarmNodeOutcome[]> {
  const outcomes: WarmNodeOutcome[] = [];
  const left = ones.values();
  const work = async () => {
    for (const one of left) {
      outcomes.push(await make(one));
      if (outcomes.some((outcome) => outcome !== "done" && outcome !== "again")) return;
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentWarmings }, work));
  return outcomes;
}
