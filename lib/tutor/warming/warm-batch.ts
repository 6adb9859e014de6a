import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { determineNextBatchStep, type OpenBatch } from "../../platform/batches/next-step.ts";
import { firstPollSeconds, sendBatchToProvider } from "../../platform/batches/send.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../../platform/db/retry-window.ts";
import { batchLimits, batchPrices, providerReplayingBatchResult } from "../../platform/llm/batches.ts";
import type { BatchResult } from "../../platform/llm/provider.ts";
import { describeError } from "../../platform/logging/log.ts";
import type { Exchange } from "../chat/history.ts";
import { CallMeter } from "../generations/call-meter.ts";
import { minAnswersOfLevelBatch } from "./batch-levels.ts";
import { type WarmTopic, warmRequest } from "./topic.ts";
import { nodeBudgetInput, type WarmNodeDeps, warmNode } from "./warm-node.ts";

export type LevelNode = { id: number; path: string[]; batch_id: number | null; call_id: number | null };

const Begun = z.object({
  batch: z.int(),
  node: z.int(),
  call: z.int(),
  exchanges: z.custom<Exchange[]>(),
});

/**
 * Sends a level's remaining nodes as a batch if worthwhile. Returns the intended nodes, some possibly
 * unnecessary.
 */
export async function sendLevelAsBatchIfWorthwhile(
  deps: WarmNodeDeps,
  { id, token }: { id: number; token: string },
  topic: WarmTopic,
  level: readonly LevelNode[],
): Promise<ReadonlySet<number> | undefined> {
  const limits = deps.llm.batches && batchLimits(deps.config);
  const fresh = level.filter(({ batch_id }) => batch_id === null).slice(0, limits?.most ?? 0);
  if (!deps.llm.batches || fresh.length < (minAnswersOfLevelBatch(deps.config) ?? Number.POSITIVE_INFINITY))
    return undefined;
  const nodes = fresh.map((node) => node.id);
  const begun = await rowsOf(
    deps.db,
    Begun,
    sql`select batch, node, call, exchanges from begin_warming_batch_within_budget(${id}, ${token}::uuid, ${sql.param(nodes)}::bigint[],
      ${JSON.stringify(nodeBudgetInput(deps, topic))}::jsonb)`,
  );
  const [first] = begun;
  if (!first) return undefined;
  const messages = new Map(fresh.map(({ id: node, path }) => [node, path.at(-1) ?? ""]));
  const requests = begun.map(({ call, node, exchanges }) => ({
    call,
    request: warmRequest(topic, messages.get(node) ?? "", exchanges, deps.config),
  }));
  const [marked] = await rowsOf(
    deps.db,
    z.object({ marker: z.string() }),
    sql`select marker from llm_batches where id = ${first.batch}`,
  );
  const batch = { id: first.batch, marker: marked?.marker ?? "" };
  if (!(await sendBatchToProvider(deps, deps.llm.batches, batch, requests))) {
    await endBatch(deps, batch.id, "refused");
    return undefined;
  }
  await pause(deps, first.batch, firstPollSeconds);
  return new Set(nodes);
}

/** True if the batch ended. */
export async function stepBatch(
  deps: WarmNodeDeps,
  { token, batch }: { token: string; batch: OpenBatch },
  topic: WarmTopic,
  level: readonly LevelNode[],
  stopping: AbortSignal,
): Promise<boolean> {
  const { batches } = deps.llm;
  const step = await determineNextBatchStep(deps.db, batches, batch);
  if (step.next === "wait") {
    if (step.failure)
      deps.log.warn(
        { error: describeError(step.failure), llm_batch: batch.id },
        "the provider failed a batch",
      );
    await pause(deps, batch.id, step.seconds);
    return false;
  }
  if (step.next === "take" && batches) {
    const open = new Map(level.flatMap((node) => (node.call_id === null ? [] : [[node.call_id, node]])));
    for await (const result of batches.results(step.id, batch.marker, stopping)) {
      const node = open.get(result.call);
      if (!node) continue;
      open.delete(result.call);
      await takeResult(deps, token, topic, node, result, stopping);
    }
  }
  await endBatch(deps, batch.id, step.next === "end" ? step.how : "ended");
  return true;
}

/** The answers are no longer needed. The cost stays unknown. */
export async function abandonBatch(deps: WarmNodeDeps, { id, provider_id }: OpenBatch): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  if (provider_id)
    await deps.llm.batches
      ?.cancel(provider_id, signal)
      .catch((error) => deps.log.warn({ error: describeError(error) }, "a batch could not be cancelled"));
  await endBatch(deps, id, "lost");
}

async function takeResult(
  deps: WarmNodeDeps,
  token: string,
  topic: WarmTopic,
  { id, path }: LevelNode,
  result: BatchResult,
  stopping: AbortSignal,
): Promise<void> {
  const prices = batchPrices(deps.config.LLM_PRICES);
  const { call } = result;
  if ("events" in result) {
    const llm = providerReplayingBatchResult(deps.llm, result);
    await warmNode(deps, token, topic, { id, message: path.at(-1) ?? "" }, stopping, { call, llm, prices });
  }
  // Closes an unused or missing answer's call. No effect on an ended call.
  const meter = new CallMeter({ model: topic.key.model, system: "", messages: [] }, prices);
  const end = "events" in result ? result.events.at(-1) : undefined;
  if (end?.type === "end") meter.report(end, true);
  const how = "events" in result ? "complete" : "failed";
  await retryWhileUnavailable(() =>
    deps.db
      .execute(sql`
        with left_batch as (update warming_nodes set call_id = null where id = ${id})
        select end_llm_call_and_count_usage(${call}::bigint, ${how}, ${meter.used()}::jsonb)`)
      .then(() => {}),
  );
}

const pause = async ({ db }: WarmNodeDeps, batch: number, seconds: number): Promise<void> =>
  void (await db.execute(scheduleBatchCheckQuery(batch, seconds)));

export const scheduleBatchCheckQuery = (batch: number, seconds: number): SQL => sql`
  update llm_batches set leased_until = clock_timestamp() + make_interval(secs => ${seconds}::float8)
  where id = ${batch} and state in ('gathering', 'sending', 'sent')`;

async function endBatch(
  { db, metrics }: WarmNodeDeps,
  batch: number,
  how: "ended" | "lost" | "refused" | "unsent",
): Promise<void> {
  await retryWhileUnavailable(() =>
    db.execute(sql`select end_warming_batch_requeuing_unanswered(${batch}, ${how})`).then(() => {}),
  );
  metrics.llmBatchEnded(how === "unsent" ? "refused" : how);
}
