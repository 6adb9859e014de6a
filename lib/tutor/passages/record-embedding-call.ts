import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../../config.ts";
import { costMicros } from "../../platform/llm/prices.ts";
import { noUsage } from "../../platform/llm/provider.ts";
import { tokenSum } from "../../platform/llm/token-counts.ts";

type Embedded = { model: string; tokens: number };

type About = { university_id: SQL; course_id?: SQL; content_item_id?: SQL };

/** A call with its cost; it has no person and counts in no budget. `from` is the columns' source. */
export const recordEmbeddingCallSql = (
  prices: Config["LLM_PRICES"],
  { model, tokens }: Embedded,
  { university_id, course_id = sql`null::int`, content_item_id = sql`null::int` }: About,
  from = sql``,
): SQL => sql`
  insert into llm_calls (university_id, course_id, content_item_id, model, input_tokens, reserved_tokens, cost_micros,
    outcome, purpose, started_at, ended_at)
  select ${university_id}, ${course_id}, ${content_item_id}, ${model}, ${tokenSum(tokens)}::int, 0,
    ${costMicros(prices, model, { ...noUsage, input_tokens: tokens })}::bigint, 'complete', 'embedding', service_now(), service_now()
  ${from}`;
