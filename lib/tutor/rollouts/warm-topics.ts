import { sql } from "drizzle-orm";
import * as z from "zod";
import { HttpError } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  answerLookupSettings,
  NewConversationTopic,
  newConversationTopicJsonSql,
} from "../chat/answer-lookup.ts";
import { minAnswersOfLevelBatch } from "../warming/batch-levels.ts";
import { toWarmTopic, type WarmSettings } from "../warming/topic.ts";
import { tokensOfPromptAndMaterial } from "../warming/warmings.ts";

const maxWarmedNodesPerTopic = 200;

const Found = z.object({ id: z.int(), topic: NewConversationTopic });
const Begun = z.object({ begun: z.int() });

/**
 * Warms topics that a promoted candidate teaches now, in the promoter's name. Skips topics that are being
 * warmed or whose prompt is unusable. Returns the number started.
 */
export async function beginTopicWarmings(
  tx: Db,
  rolloutId: number,
  items: readonly number[],
  config: WarmSettings,
): Promise<number> {
  if (items.length === 0) return 0;
  const found = await rowsOf(
    tx,
    Found,
    sql`select content_items.id, ${newConversationTopicJsonSql(answerLookupSettings(config))} as topic
        from content_items join courses on courses.id = content_items.course_id
        join universities as university on university.id = content_items.university_id
        where content_items.id = any (${sql.param(items)}::int[]) and content_items.is_active and courses.cache_enabled
          and university.is_active
        order by content_items.id`,
  );
  const topics = found.flatMap(({ id, topic }) => plannedOf(id, topic, config));
  const [row] = await rowsOf(
    tx,
    Begun,
    sql`
    with begun as materialized (
      select plan_and_begin_warming(one.item, one.prompt, one.key, ${maxWarmedNodesPerTopic}, one.tokens, rollout.ended_by,
               ${requestAuditJson()}::jsonb, ${minAnswersOfLevelBatch(config)}::integer) as report
      from prompt_rollouts as rollout join jsonb_to_recordset(${JSON.stringify(topics)}::jsonb) as one (
        item int, prompt int, key jsonb, tokens int
      ) on one.prompt = rollout.candidate_id
      where rollout.id = ${rolloutId}
    ), counted as (
      update prompt_rollouts set warmings = warmings + (select count(report) from begun) where id = ${rolloutId}
    )
    select count(report)::int as begun from begun`,
  );
  return row?.begun ?? 0;
}

/** None if the topic's prompt is unusable. */
function plannedOf(item: number, topic: NewConversationTopic, config: WarmSettings): object[] {
  try {
    const warmed = toWarmTopic(topic, config);
    const tokens = tokensOfPromptAndMaterial(warmed, config);
    return [{ item, prompt: topic.graph?.root, key: warmed.key, tokens }];
  } catch (error) {
    if (error instanceof HttpError) return [];
    throw error;
  }
}
