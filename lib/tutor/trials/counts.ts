import { type SQL, sql } from "drizzle-orm";
import { hasFailedCheckCondition } from "./cases.ts";

/** Visits. A pre-generated answer has none and counts as one. */
const weight = sql`greatest(visits, 1)`;

const counted = (said: SQL, of: (where: SQL) => SQL): SQL => sql`json_build_object(
  'won', ${of(sql`${said} = 'candidate'`)}, 'tied', ${of(sql`${said} = 'tie'`)}, 'lost', ${of(sql`${said} = 'recorded'`)})`;

const rows = (where: SQL): SQL => sql`count(*) filter (where ${where})`;
const weights = (where: SQL): SQL => sql`coalesce(sum(${weight}) filter (where ${where}), 0)`;

/** A tie if the two orders disagree. */
const byCriterion = sql`(
  select coalesce(json_object_agg(criterion, counts), '{}') from (
    select first.key as criterion, ${counted(sql`said`, rows)} as counts
    from trial_cases cross join jsonb_each_text(judged -> 0 -> 'criteria') as first
      join lateral jsonb_each_text(judged -> 1 -> 'criteria') as second on second.key = first.key
      cross join lateral (select case when first.value = second.value then first.value else 'tie' end as said) as both_orders
    where trial_id = trial.id and verdict is not null group by first.key) as told)`;

/** Of a row `trial`; null without a judge. */
export const judgementCountsJsonSql: SQL = sql`(
  select json_build_object(
    'model', trial.judge_model, 'pairs', ${counted(sql`verdict`, rows)}, 'visits', ${counted(sql`verdict`, weights)},
    'squares', coalesce(sum(${weight}::float8 ^ 2) filter (where verdict is not null), 0),
    'orders_disagreed', count(*) filter (
      where verdict = 'tie' and judged -> 0 ->> 'verdict' <> judged -> 1 ->> 'verdict'),
    'criteria', ${byCriterion},
    'not_judged', (
      select coalesce(json_agg(json_build_object('reason', upper(unjudged_reason), 'cases', cases) order by unjudged_reason),
        '[]')
      from (select unjudged_reason, count(*) as cases from trial_cases
            where trial_id = trial.id and unjudged_reason is not null group by unjudged_reason) as reasons),
    'agreement', (
      select json_build_array(count(*) filter (where vote = verdict), count(*))
      from trial_votes join trial_cases as voted on voted.id = case_id
      where voted.trial_id = trial.id and verdict is not null),
    'spent_micros', coalesce(sum(judge_micros), 0))
  from trial_cases where trial_id = trial.id having trial.judge_model is not null)`;

export const voteCountsJsonSql: SQL = sql`(
  select json_build_object('people', count(distinct user_id), 'pairs', count(distinct case_id),
    'votes', ${counted(sql`vote`, rows)})
  from trial_votes join trial_cases on trial_cases.id = case_id where trial_id = trial.id)`;

export const leakCountsJsonSql: SQL = sql`(
  select coalesce(json_agg(told order by told ->> 'category'), '[]') from (
    select json_build_object('category', upper(attack ->> 'category'), 'attacks', count(*),
      'leaked', count(*) filter (where ${hasFailedCheckCondition(sql`checks`)})) as told
    from trial_cases
    where trial_id = trial.id and attack is not null and checks is not null group by attack ->> 'category') as categories)`;
