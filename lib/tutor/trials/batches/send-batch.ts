import { sql } from "drizzle-orm";
import * as z from "zod";
import { firstPollSeconds, sendBatchToProvider } from "../../../platform/batches/send.ts";
import { rowsOf } from "../../../platform/db/query/rows.ts";
import { batchPrices } from "../../../platform/llm/batches.ts";
import type { BatchRequest, LlmBatches, LlmRequest } from "../../../platform/llm/provider.ts";
import { nextCaseCallOrEnding } from "../case-call.ts";
import { findModelPrice, maxCallCost } from "../cost.ts";
import { endOrRequeueCase, unansweredCasesOfBatch, type WorkDeps } from "../held-case.ts";
import { endBatch, type LeasedBatch, releaseBatch } from "./held-batch.ts";

/** Reserves the requests' maximum cost and sends those within budget. */
export async function sendBatch(deps: WorkDeps, batches: LlmBatches, held: LeasedBatch): Promise<void> {
  const requests = await beginCalls(deps, held, await requestsOf(deps, held));
  if (requests.length === 0) return deps.metrics.llmBatchEnded("ended");
  if (!(await sendBatchToProvider(deps, batches, held, requests))) return endBatch(deps, held, "refused");
  await releaseBatch(deps, held, firstPollSeconds);
}

/** Ends cases without a call. */
async function requestsOf(deps: WorkDeps, { id }: LeasedBatch): Promise<Map<number, LlmRequest>> {
  const requests = new Map<number, LlmRequest>();
  for (const one of await unansweredCasesOfBatch(deps, id)) {
    const next = nextCaseCallOrEnding(one, deps.config);
    if ("how" in next) await endOrRequeueCase(deps, one, next.how, next.told);
    else if (!findModelPrice(deps.config.LLM_PRICES, next.request.model))
      await endOrRequeueCase(deps, one, "skipped", { reason: "no_price" });
    else requests.set(one.id, next.request);
  }
  return requests;
}

const Begun = z.object({ one: z.int(), call: z.int() });

/** Within the trial's limit and the university's budget. A call's id identifies its request. */
async function beginCalls(
  { db, config }: WorkDeps,
  { id, token }: LeasedBatch,
  requests: ReadonlyMap<number, LlmRequest>,
): Promise<BatchRequest[]> {
  const prices = batchPrices(config.LLM_PRICES);
  const calls = [...requests].flatMap(([one, request]) => {
    const price = findModelPrice(prices, request.model);
    if (!price) return [];
    const most = maxCallCost(request, price, config.LLM_MAX_TOKENS);
    return [{ id: one, tokens: most.input_tokens + most.output_tokens, micros: most.micros }];
  });
  const begun = await rowsOf(
    db,
    Begun,
    sql`select one, call from begin_trial_batch_calls_within_budget(${id}, ${token}::uuid, ${JSON.stringify(calls)}::jsonb,
      ${config.TUTOR_TRIAL_TOKENS_PER_MONTH}::bigint)`,
  );
  return begun.flatMap(({ one, call }) => {
    const request = requests.get(one);
    return request ? [{ call, request }] : [];
  });
}
