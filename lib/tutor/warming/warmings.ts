import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Warming, WarmingCreate } from "../../../schema/api/tutor/warming.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { warmingStates, warmingStops } from "../../../schema/enums.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import { badRequest, forbidden, inactiveUniversityError, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { batchPrices } from "../../platform/llm/batches.ts";
import { costMicros, type LlmPrices } from "../../platform/llm/prices.ts";
import { noUsage } from "../../platform/llm/provider.ts";
import {
  answerLookupSettings,
  NewConversationTopic,
  newConversationTopicJsonSql,
} from "../chat/answer-lookup.ts";
import { resolveTriedPromptId, type TriedVersion, triedVersionJsonSql } from "../chat/tried-version.ts";
import { minAnswersOfLevelBatch } from "./batch-levels.ts";
import { toWarmTopic, type WarmSettings, type WarmTopic, warmRequest } from "./topic.ts";

const Found = z.object({
  writes: z.boolean(),
  has_tutor: z.boolean(),
  shares: z.boolean(),
  content_type: z.string(),
  tried: z.custom<TriedVersion>().nullable(),
  topic: NewConversationTopic,
});

const Report = z.object({
  id: z.int(),
  content_item_id: z.int(),
  state: z.enum(warmingStates),
  stop_reason: z.enum(warmingStops).nullable(),
  prompt_name: z.string(),
  prompt_version: z.int(),
  model: z.string(),
  most_nodes: z.int(),
  by_batch: z.boolean(),
  estimate: z.object({ calls: z.int(), input_tokens: z.int(), output_tokens: z.int() }),
  /** The part of the estimate that runs in batches. */
  by_batch_of_estimate: z.object({ input_tokens: z.int(), output_tokens: z.int() }),
  nodes: z.custom<Warming["nodes"]>(),
  calls: z.int(),
  calls_estimated: z.int(),
  cost_micros: z.number().nullable(),
  created_at: StoredInstant,
  started_at: StoredInstant.nullable(),
  ended_at: StoredInstant.nullable(),
});

const Row = z.object({ report: Report.nullable() });

/**
 * Starts generating a topic's answers before class and returns an estimate. 404: no such item or version.
 * 403: the caller may not edit the course, or not read prompts if a version is named. 400: the item has a
 * running warming, or the course shares no answers. 503: no usable prompt.
 */
export async function beginWarming(
  db: Db,
  actor: Actor,
  contentItemId: number,
  { version, most_nodes, at_once }: WarmingCreate,
  config: WarmSettings,
): Promise<Warming> {
  const topic = await topicToWarm(db, actor, contentItemId, version, config);
  const { key, prompt_id } = topic;
  const [row] = await rowsOf(
    db,
    Row,
    sql`select plan_and_begin_warming(${contentItemId}, ${prompt_id}, ${JSON.stringify(key)}::jsonb, ${most_nodes}, ${tokensOfPromptAndMaterial(topic, config)},
      ${actor.id}, ${requestAuditJson()}::jsonb, ${at_once ? null : minAnswersOfLevelBatch(config)}::integer) as report`,
  );
  if (!row?.report) throw badRequest("answers_being_made");
  return asWarming(row.report, config.LLM_PRICES);
}

async function topicToWarm(
  db: Db,
  actor: Actor,
  contentItemId: number,
  version: number | undefined,
  config: WarmSettings,
): Promise<WarmTopic & { prompt_id: number }> {
  const tried = version === undefined ? undefined : { prompt_version: version };
  const [found] = await rowsOf(
    db,
    Found,
    sql`
    select ${coursePermissionCondition(actor, "content:write")} as writes, university.is_active as has_tutor,
           courses.cache_enabled as shares, content_types.name as content_type, tried.version as tried,
           ${newConversationTopicJsonSql(answerLookupSettings(config), sql`(tried.version ->> 'id')::integer`)} as topic
    from content_items join courses on courses.id = content_items.course_id
    join content_types on content_types.id = content_items.content_type_id
    join universities as university on university.id = content_items.university_id
    cross join lateral (
      select ${triedVersionJsonSql(actor, tried, config.TUTOR_PROMPT_NAME)} as version) as tried
    where content_items.id = ${contentItemId} and ${coursePermissionCondition(actor, "course:read-unpublished")}`,
  );
  if (!found) throw notFound("Content item");
  if (!found.writes) throw forbidden();
  if (found.tried) resolveTriedPromptId(found.tried, found.content_type, config.TUTOR_PROMPT_NAME);
  if (!found.has_tutor) throw inactiveUniversityError();
  if (!found.shares) throw badRequest("course_shares_no_answers");
  const topic = toWarmTopic(found.topic, config);
  return { ...topic, prompt_id: found.topic.graph?.root ?? 0 };
}

const charactersOfToken = 4;

/** Files count by their length only. */
export function tokensOfPromptAndMaterial(topic: WarmTopic, config: WarmSettings): number {
  const { system } = warmRequest(topic, "Start.", [], config);
  const files = (topic.context.file_texts ?? []).reduce((sum, { characters }) => sum + characters, 0);
  return Math.ceil((system.length + Math.min(files, config.TUTOR_MATERIAL_CHARACTERS)) / charactersOfToken);
}

/** For staff of its course; 404 if there is none. */
export async function getWarming(
  db: ReadDb,
  actor: Actor,
  contentItemId: number,
  prices: LlmPrices,
): Promise<Warming> {
  const [row] = await rowsOf(
    db,
    Row,
    sql`select (
          select report from warming_reports
          where id = (select max(id) from warmings where content_item_id = content_items.id)) as report
        from content_items join courses on courses.id = content_items.course_id
        where content_items.id = ${contentItemId} and ${coursePermissionCondition(actor, "tutor-answer:read")}`,
  );
  if (!row) throw notFound("Content item");
  if (!row.report) throw notFound("Warming");
  return asWarming(row.report, prices);
}

type Upper<S extends string> = Uppercase<S>;
const upper = <S extends string>(stored: S): Upper<S> => stored.toUpperCase() as Upper<S>;

function asWarming(
  { estimate, by_batch_of_estimate, state, stop_reason, ...report }: z.output<typeof Report>,
  prices: LlmPrices,
): Warming {
  const atOnce = {
    input_tokens: estimate.input_tokens - by_batch_of_estimate.input_tokens,
    output_tokens: estimate.output_tokens - by_batch_of_estimate.output_tokens,
  };
  const parts = [
    costMicros(prices, report.model, { ...noUsage, ...atOnce }),
    costMicros(batchPrices(prices), report.model, { ...noUsage, ...by_batch_of_estimate }),
  ];
  return {
    ...report,
    state: upper(state),
    stop_reason: stop_reason && upper(stop_reason),
    estimate: { ...estimate, cost_micros: parts.reduce(sumOf) },
    created_at: toInstant(report.created_at),
    started_at: report.started_at && toInstant(report.started_at),
    ended_at: report.ended_at && toInstant(report.ended_at),
  };
}

const sumOf = (one: number | null, other: number | null) =>
  one === null || other === null ? null : one + other;
