import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { minPeopleInStatistic } from "../../../schema/api/tutor/tutor-inbox.ts";
import type { TutorMisconceptions } from "../../../schema/api/tutor/tutor-steps.ts";
import type { Question, QuestionKey } from "../../../schema/question.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { createPageQuery, createSortKey, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { wilsonInterval } from "../../platform/statistics/wilson.ts";

const Row = RowWithPageKey.extend({
  question: z.custom<Question>(),
  question_key: z.custom<QuestionKey>(),
  people: z.int(),
  right_ones: z.int(),
  choices: z.record(z.string(), z.int()),
});

const Found = z.object({ questions: z.array(Row) });

/**
 * Results of the tutor's questions in an item, hardest first, for the course's staff; 404 for others. Omits
 * questions with fewer than five people. Questions are equal by text, options and key. Counts each person's
 * first try.
 */
export async function listMisconceptions(
  db: ReadDb,
  actor: Actor,
  contentItemId: number,
  query: Pagination,
): Promise<ListPage<TutorMisconceptions>> {
  const page = createPageQuery(query, [
    createSortKey(sql`share`, "double precision"),
    createSortKey(sql`id`, "bigint"),
  ]);
  const [found] = await rowsOf(
    db,
    Found,
    sql`
    select coalesce((
      with asked as materialized (
        select id, question_hash, question_key ->> 'answer' as answer from tutor_questions
        where content_item_id = content_items.id
      ), tried as (
        select asked.question_hash, asked.answer, step.choice, step.hints > 0 as with_hints, count(*) as people,
               max(asked.id) as id
        from tutor_steps as step join asked on asked.id = step.question_id
        where step.content_item_id = content_items.id and step.try_number = 1 group by 1, 2, 3, 4
        union all
        select asked.question_hash, asked.answer, kept.choice, kept.with_hints, kept.answers, asked.id
        from tutor_step_counts as kept join asked on asked.id = kept.question_id where kept.try_number = 1
      ), chosen as (
        select question_hash, answer, choice, sum(people)::int as people, max(id) as id,
               coalesce(sum(people) filter (where choice = answer and not with_hints), 0)::int as right_ones
        from tried group by question_hash, answer, choice
      ), counted as (
        select max(id) as id, sum(people)::int as people, sum(right_ones)::int as right_ones,
               sum(right_ones)::float8 / sum(people) as share,
               json_object_agg(choice, people) filter (where choice <> answer) as choices
        from chosen group by question_hash, answer having sum(people) >= ${minPeopleInStatistic}
      )
      select json_agg(one order by share, id) from (
        select *, ${page.keyColumn} from counted ${page.tail()}
      ) as part cross join lateral (
        select part.page_key, shown.question, shown.question_key, part.people, part.right_ones,
               coalesce(part.choices, '{}') as choices
        from tutor_questions as shown where shown.id = part.id
      ) as one), '[]') as questions
    from content_items join courses on courses.id = content_items.course_id
    where content_items.id = ${contentItemId} and ${coursePermissionCondition(actor, "tutor-answer:read")}`,
  );
  if (!found) throw notFound("Content item");
  return page.part(found.questions).map(asMisconceptions);
}

const asMisconceptions = ({
  question,
  question_key,
  people,
  right_ones,
  choices,
}: Omit<z.output<typeof Row>, "page_key">): TutorMisconceptions => {
  const misconceptions = new Map(question_key.misconceptions.map(({ id, text }) => [id, text]));
  const wrong = question.options.flatMap(({ id, text }) =>
    choices[id] ? [{ id, text, misconception: misconceptions.get(id) ?? null, people: choices[id] }] : [],
  );
  return {
    question,
    answer: question_key.answer,
    skill: question_key.skill,
    people,
    first_try: { share: right_ones / people, ...wilsonInterval(right_ones, people) },
    errors: withoutSmallGroups(wrong, people - right_ones),
  };
};

/**
 * Rows of at least five people, largest first. If the remaining wrong answers (`others`) would reveal one to
 * four people, drops the smallest row too.
 */
export function withoutSmallGroups<Row extends { people: number }>(
  rows: readonly Row[],
  others: number,
): Row[] {
  const told = rows
    .filter(({ people }) => people >= minPeopleInStatistic)
    .sort((a, b) => b.people - a.people);
  const rest = others - told.reduce((sum, { people }) => sum + people, 0);
  return rest > 0 && rest < minPeopleInStatistic ? told.slice(0, -1) : told;
}
