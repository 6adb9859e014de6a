import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { answerStops, generationStates } from "../../../schema/enums.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { LlmPrices } from "../../platform/llm/prices.ts";
import type { LlmProvider } from "../../platform/llm/provider.ts";
import type { Metrics, WarmedOutcome } from "../../platform/metrics/metrics.ts";
import { platformTutorLimits } from "../budgets/limits.ts";
import { AnswerChecks } from "../chat/answer-checks.ts";
import type { Exchange } from "../chat/history.ts";
import { answerTimeLimitSeconds } from "../chat/turn.ts";
import { produceAnswer } from "../generations/producer.ts";
import type { ProducerDeps } from "../generations/producer-deps.ts";
import { configBounds, dropConfigOutsideBounds } from "../prompts/config.ts";
import { type WarmSettings, type WarmTopic, warmRequest } from "./topic.ts";

export type WarmNodeDeps = Omit<ProducerDeps, "signal"> & {
  config: WarmSettings;
  metrics: Pick<Metrics, "answerWarmed" | "llmBatchEnded">;
};

/**
 * `done`: stored or unnecessary. `again`: another producer has it. The rest end the warming: `budget` used
 * up, `llm` failed, lease `lost`.
 */
export type WarmNodeOutcome = "done" | "again" | "budget" | "llm" | "lost";

const Claimed = z.object({
  outcome: z.enum(["found", "left out", "being made", "budget", "to make"]),
  generation: z.int().nullable(),
  attempt: z.int().nullable(),
  call: z.int().nullable(),
  exchanges: z.custom<Exchange[]>().nullable(),
});

export type BatchAnswer = { call: number; llm: LlmProvider; prices: LlmPrices };

/** Concurrent learners can join it. A batch's answer is only stored, unless one exists. */
export async function warmNode(
  deps: WarmNodeDeps,
  token: string,
  topic: WarmTopic,
  node: { id: number; message: string },
  stopping: AbortSignal,
  answered?: BatchAnswer,
): Promise<WarmNodeOutcome> {
  if (stopping.aborted) return "again";
  const maker = crypto.randomUUID();
  const [claimed] = await rowsOf(
    deps.db,
    Claimed,
    sql`select * from claim_generation_of_warming_node(
      ${node.id}, ${token}::uuid, ${maker}::uuid, ${answerTimeLimitSeconds},
      ${JSON.stringify({ ...nodeBudgetInput(deps, topic), ...(answered && { call: answered.call }) })}::jsonb)`,
  );
  if (!claimed) return "lost";
  const { outcome, generation, attempt, call, exchanges } = claimed;
  if (outcome === "budget") return "budget";
  if (outcome === "being made") return "again";
  if (outcome !== "to make") return ended(deps, outcome === "found" ? "found" : "left_out");
  if (generation === null || attempt === null || call === null) return "again";
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(answerTimeLimitSeconds * 1000)]);
  const request = warmRequest(topic, node.message, exchanges ?? [], deps.config);
  await produceAnswer(
    { ...deps, signal, ...(answered && { llm: answered.llm }) },
    {
      ...{ generation, token: maker, attempt, call, isShared: true, carriesQuestion: false },
      language: topic.context.language,
      checks: new AnswerChecks(
        {
          ...{ topic: topic.context, prompt: topic.prompt, exchanges: exchanges ?? [], move: null, request },
          maxMaterial: deps.config.TUTOR_MATERIAL_CHARACTERS,
        },
        deps.log,
      ),
      ...(answered && { prices: answered.prices }),
    },
    request,
  );
  return settle(deps, node.id, generation);
}

const Settled = z.object({
  state: z.enum(generationStates),
  stop: z.enum(answerStops).nullable(),
  has_failed: z.boolean(),
});

export const endWarmingNodeQuery = (node: number, generation: number): SQL => sql`
  with ended as (
    select state, stop, checks is not null as has_failed from generations where id = ${generation}
  ), settled as (
    update warming_nodes as one set state = case when ended.stop is null and not ended.has_failed then 'made' else 'failed' end
    from ended where one.id = ${node} and one.state = 'waiting' and ended.state = 'complete'
  )
  select state, stop, has_failed from ended`;

async function settle(deps: WarmNodeDeps, node: number, generation: number): Promise<WarmNodeOutcome> {
  const [row] = await rowsOf(deps.db, Settled, endWarmingNodeQuery(node, generation));
  if (row?.state === "failed") return "llm";
  return row?.state === "complete"
    ? ended(deps, row.stop === null && !row.has_failed ? "made" : "failed")
    : "again";
}

function ended({ metrics }: WarmNodeDeps, outcome: WarmedOutcome): "done" {
  metrics.answerWarmed(outcome);
  return "done";
}

export const nodeBudgetInput = ({ config }: WarmNodeDeps, { context, prompt }: WarmTopic): object => ({
  ...platformTutorLimits(config),
  reserve:
    (dropConfigOutsideBounds(prompt.config, configBounds(config)).max_tokens ?? config.LLM_MAX_TOKENS) +
    Math.ceil(
      (Buffer.byteLength(prompt.template) +
        Math.min(
          Buffer.byteLength(JSON.stringify(context)),
          // Three bytes per token, as in `start_claimed_generation_within_budget` (generations.sql).
          4 * config.TUTOR_MATERIAL_CHARACTERS,
        )) /
        3,
    ),
});
