import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { TutorProgress } from "../../../schema/api/tutor/tutor-steps.ts";
import { visibleContentItemCondition } from "../../courses/content/visibility.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import { forbidden, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf as rowsOfStatement } from "../../platform/db/query/rows.ts";
import { correctStreakAndMastery, estimateKnowledge, type KnowledgeParameters } from "./knowledge-tracing.ts";

const Row = z.object({
  is_permitted: z.boolean(),
  is_there: z.boolean(),
  answers: z.int(),
  first_tries: z.array(z.boolean()),
});

/**
 * The caller's progress with an item's tutor, or with `userId` a learner's, for the course's staff; audited.
 * 404 if the caller cannot see the item or the person does not learn there. 403 for another person if the
 * caller is not staff or learns the course too.
 */
export async function getTutorProgress(
  db: Db,
  actor: Actor,
  contentItemId: number,
  userId: number | undefined,
  parameters: KnowledgeParameters,
): Promise<TutorProgress> {
  const person = userId ?? actor.id;
  const isOwn = person === actor.id;
  const act = {
    action: "tutor_progress.read",
    actor: actor.id,
    subject: person,
    university: sql`university_id`,
    details: sql`jsonb_build_object('content_item_id', content_item_id)`,
  } as const;
  const told = sql`, shown as materialized (
      select * from item where is_permitted and is_there
    ), audited as (${insertAuditEventsQuery(act, sql`shown`)})`;
  const [found] = await rowsOfStatement(
    db,
    Row,
    sql`
    with item as materialized (
      select content_items.id as content_item_id, courses.university_id,
             ${isOwn ? sql`true` : coursePermissionCondition(actor, "tutor-answer:read")} as is_permitted,
             ${isOwn ? sql`true` : learnsThere(person)} as is_there
      from content_items join modules on modules.id = content_items.module_id
      join courses on courses.id = content_items.course_id
      where content_items.id = ${contentItemId} and ${tokenReachCondition(actor, sql`courses.university_id`, { course: sql`courses.id` }) ?? sql`true`}
        and (${visibleContentItemCondition(actor)} or ${coursePermissionCondition(actor, "tutor-answer:read")})
    )${isOwn ? sql`` : told}
    select item.is_permitted, item.is_there, coalesce(taken.answers, 0)::int as answers,
           coalesce(taken.first_tries, '[]') as first_tries
    from item left join lateral (
      select count(*) as answers,
             json_agg(step.choice = asked.question_key ->> 'answer' and step.hints = 0 order by step.id)
               filter (where step.try_number = 1) as first_tries
      from tutor_steps as step join tutor_questions as asked on asked.id = step.question_id
      where step.content_item_id = item.content_item_id and step.user_id = ${person}
    ) as taken on item.is_permitted and item.is_there`,
  );
  if (!found) throw notFound("Content item");
  if (!found.is_permitted) throw forbidden();
  if (!found.is_there) throw notFound("User");
  const { first_tries, answers } = found;
  return {
    content_item_id: contentItemId,
    user_id: person,
    questions: first_tries.length,
    right_at_first_try: first_tries.filter(Boolean).length,
    answers,
    ...correctStreakAndMastery(first_tries),
    estimate: estimateKnowledge(first_tries, parameters),
    observations: first_tries.length,
  };
}

/** Is or was enrolled in the item's course, or answered its tutor. */
const learnsThere = (person: number): SQL => sql`exists (
  select from users where users.id = ${person} and users.erased_at is null and (
    exists (select from enrollments as mine join course_offerings as run on run.id = mine.course_offering_id
            where mine.user_id = users.id and run.course_id = content_items.course_id)
    or exists (select from tutor_steps as step
               where step.content_item_id = content_items.id and step.user_id = users.id)))`;
