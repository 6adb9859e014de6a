import { type SQL, sql } from "drizzle-orm";
import type { RolloutArm } from "../../../schema/enums.ts";

const momentsOf = (measured: SQL, where = sql`true`): SQL => sql`json_build_object(
  'count', count(${measured}) filter (where ${where}),
  'mean', coalesce(avg(${measured}) filter (where ${where}), 0)::float8,
  'variance', coalesce(var_samp(${measured}) filter (where ${where}), 0)::float8)`;

/**
 * From the newest conversations, at most `most`, while the rollout ran. For generated answers: length, cost
 * of all calls, and time to the first word.
 */
export const armStatisticsSql = (id: SQL, arm: RolloutArm, most: number): SQL => sql`(
  with rollout as (
    select *, ${arm === "base" ? sql`base_version` : sql`candidate_version`} as version
    from prompt_rollouts where id = ${id}
  ), conversation as (
    select id from chat_sessions where rollout_id = ${id} and rollout_arm = ${arm} order by id desc limit ${most}
  ), answer as materialized (
    -- Reads one conversation at a time by the index of its messages (offset 0): a plan for all would scan tables.
    select said.*, (select rating from message_feedback where message_id = said.id) as rating
    from rollout cross join conversation cross join lateral (
      select reply.id, reply.in_reply_to_id, reply.created_at, reply.meta ->> 'stop' as stop,
             length(reply.content) as characters, reply.meta ->> 'source' = 'llm' and not reply.meta ? 'joined' as is_made
      from chat_messages as reply
      where reply.session_id = conversation.id and reply.role = 'assistant'
        and reply.meta ->> 'prompt_version' = rollout.version::text and reply.meta ->> 'prompt_name' = rollout.prompt_name
      offset 0
    ) as said
    where said.created_at <= coalesce(rollout.ended_at, 'infinity')
  ), made as (
    select answer.*, used.*
    from answer cross join lateral (
      select count(*) as calls, count(*) filter (where usage_estimated) as calls_estimated, sum(cost_micros) as cost_micros,
             max(first_word_ms) filter (where outcome = 'complete' and not is_repair) as first_word_ms
      from llm_calls where message_id = answer.in_reply_to_id and purpose = 'turn'
    ) as used
    where is_made
  )
  select json_build_object(
    'conversations', (select count(*) from chat_sessions where rollout_id = ${id} and rollout_arm = ${arm}),
    'turns', (select count(*) from answer), 'ups', (select count(*) from answer where rating = 'up'),
    'downs', (select count(*) from answer where rating = 'down'), 'made', count(*), 'calls', coalesce(sum(calls), 0),
    'calls_estimated', coalesce(sum(calls_estimated), 0),
    'malformed', count(*) filter (where stop = 'malformed'), 'refusals', count(*) filter (where stop = 'refusal'),
    'cut_offs', count(*) filter (where stop = 'length'), 'total_cost_micros', coalesce(sum(cost_micros), 0)::float8,
    'length', ${momentsOf(sql`characters::numeric`, sql`stop is distinct from 'stopped'`)},
    'cost', ${momentsOf(sql`cost_micros`)}, 'first_word', ${momentsOf(sql`first_word_ms::numeric`)})
  from made)`;
