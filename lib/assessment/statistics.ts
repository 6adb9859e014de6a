import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { QuestionStatistics } from "../../schema/api/assessment/questions.ts";
import type { Window } from "../../schema/api/platform/fields.ts";
import { notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { permittedPoolCondition } from "./pools.ts";

const Row = z.object({ statistics: z.array(QuestionStatistics) });

/**
 * By question and version, from graded attempts. Facility is the mean share of the points earned, without
 * attempts for which the question was thrown out. Discrimination is the correlation of that share with the
 * share earned in the rest of the attempt, null if either is constant. 404 if the caller cannot read the
 * pool.
 */
export async function readPoolQuestionStatistics(
  db: ReadDb,
  actor: Actor,
  poolId: number,
  page: Window,
): Promise<QuestionStatistics[]> {
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      select coalesce((
        select jsonb_agg(to_jsonb(listed) order by question_id, version) from (${listed(page)}) as listed
      ), '[]') as statistics
      from question_pools where ${permittedPoolCondition(actor, "question:read", poolId)}`,
  );
  if (!row) throw notFound("Question pool");
  return row.statistics;
}

/** The question versions drawn from a row of `question_pools`, with their statistics. */
const listed = ({ skip, limit }: Window): SQL => sql`
  select asked.question_id, asked.version, upper(asked.kind) as kind, asked.question_text,
         count(*)::int as drawn, count(*) filter (where answered.response is null)::int as unanswered,
         round(avg(answered.part), 6) as facility,
         round(corr(answered.part, answered.rest)::numeric, 6) as discrimination,
         ${choices} as choices
  from questions
  join question_versions as asked on asked.question_id = questions.id
  join quiz_attempt_questions as drawn on drawn.question_id = asked.question_id and drawn.version = asked.version
  join quiz_attempts as attempt on attempt.id = drawn.quiz_attempt_id
  join question_versions as key on key.question_id = drawn.question_id and key.version = drawn.graded_version
  left join thrown_out_questions as out on out.course_offering_id = attempt.course_offering_id
    and out.content_item_id = attempt.content_item_id and out.question_id = drawn.question_id
  cross join lateral (
    select attempt.raw_response_json -> drawn.question_id::text as response,
           case when out.credit is null then drawn.points_earned / key.points end as part,
           (attempt.score_obtained - drawn.points_earned) / nullif(attempt.max_score - key.points, 0) as rest
  ) as answered
  where questions.question_pool_id = question_pools.id and attempt.score_obtained is not null
    and (drawn.points_earned is not null or out.credit is not null)
  group by asked.question_id, asked.version
  order by asked.question_id, asked.version offset ${skip} limit ${limit}`;

const choices = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('choice', choice.name, 'chosen', (
    select count(*) from unnest(array_agg(answered.response)) as response
    where response = choice.value or response @> jsonb_build_array(choice.value)
  )) order by choice.number), '[]')
  from (
    select option.value ->> 'id', option.value -> 'id', option.number
    from jsonb_array_elements(asked.options_json) with ordinality as option (value, number)
    union all
    select value::text, to_jsonb(value), number
    from unnest(array[true, false]) with ordinality as truth (value, number) where asked.kind = 'true_false'
  ) as choice (name, value, number))`;
