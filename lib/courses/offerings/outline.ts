import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Outline, OutlineModule, type OutlineQuery } from "../../../schema/api/courses/outline.ts";
import { labSubmissions } from "../../../schema/db/assessment/lab-submissions.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { userContentProgress } from "../../../schema/db/courses/progress.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { momentForm, wireForm } from "../../../schema/db/platform/columns.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { personIdIfOfferingInTokenReachSql } from "../../identity/auth/token-reach.ts";
import { visiblePersonCondition } from "../../identity/users/visibility.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  courseStaffCondition,
  offeringPermissionCondition,
  visibleCourseCondition,
} from "../course-permissions.ts";
import { storedProgressPercentSql } from "../course-progress/progress-percent.ts";
import { inTreeOrder } from "../modules/tree.ts";
import { getOffering, type OfferingPath, offeringPathCondition } from "./offerings.ts";
import { courseSummaryJsonSql, offeringSummaryJsonSql } from "./summary.ts";

const Row = z.object({
  ...Outline.omit({ modules: true, total_modules: true }).shape,
  may_manage: z.boolean(),
  is_seen: z.boolean(),
  modules: z.array(OutlineModule),
});

/**
 * The offering's course tree with the caller's progress; course staff may ask for another person's. 404 for
 * an offering or person that they cannot see, 403 unless staff.
 */
export async function readOfferingOutline(
  db: ReadDb,
  actor: Actor | undefined,
  path: OfferingPath,
  { user_id = actor?.id, skip, limit = Infinity }: OutlineQuery,
  now: Date,
): Promise<Outline> {
  const [row] = await rowsOf(db, Row, outlineStatement(actor, path, user_id, now));
  if (!row) {
    await getOffering(db, actor, path);
    throw notFound("Offering");
  }
  const { may_manage, is_seen, modules, ...outline } = row;
  if (user_id !== actor?.id && !may_manage) throw forbidden();
  if (!is_seen) throw notFound("User");
  const shown = inTreeOrder(modules);
  return { ...outline, total_modules: shown.length, modules: shown.slice(skip, skip + limit) };
}

const isSeenThere = (actor: Actor, person: SQL): SQL => sql`exists (
  select from ${users} where ${eq(users.id, person)} and (${visiblePersonCondition(actor)} or ${isNull(users.erased_at)}
    and ${offeringPermissionCondition(actor, "roster:read")} and exists (
      select from ${enrollments} where ${eq(enrollments.user_id, users.id)} and ${eq(enrollments.course_offering_id, courseOfferings.id)})))`;

function outlineStatement(
  actor: Actor | undefined,
  path: OfferingPath,
  userId: number | undefined,
  now: Date,
): SQL {
  const isOwn = userId === actor?.id;
  const person =
    isOwn && actor
      ? sql`${personIdIfOfferingInTokenReachSql(actor, path.offering_id)}::int`
      : sql`${userId ?? null}::int`;
  return sql`
    with recursive run as materialized (
      select ${courseOfferings.id}, ${courseOfferings.course_id}, ${courseStaffCondition(actor)} as sees_all,
             ${offeringPermissionCondition(actor, "roster:read")} as may_manage,
             ${isOwn || !actor ? sql`true` : isSeenThere(actor, person)} as is_seen,
             ${userId === undefined ? sql`false` : sql`is_staff_of_course(${person}, ${courses.id})`} as is_unlocked,
             ${courses.access} <> 'open' and not is_admitted_to_course(${person}, ${courses.id}) as lacks_place,
             ${courseSummaryJsonSql} as course,
             ${offeringSummaryJsonSql} as course_offering
      from ${courseOfferings} join ${courses} on ${courses.id} = ${courseOfferings.course_id}
      where ${and(offeringPathCondition(path), visibleCourseCondition(actor))}
    ), shown as materialized (
      select ${modules}.*, dates.opens_at, dates.due_at as due_there
      from run join ${modules} on ${modules.course_id} = run.course_id and (${modules.is_published} or run.sees_all)
      join effective_dates_of_modules(run.id, ${person}) as dates on dates.module_id = ${modules.id}
      where run.is_seen and ${isOwn ? sql`true` : sql`run.may_manage`}
    ), barrier (module_id, starts, asked) as (
      select id, opens_at, requires_module_ids from shown where parent_module_id is null
      union all
      select below.id, greatest(barrier.starts, below.opens_at), barrier.asked || below.requires_module_ids
      from barrier join shown as below on below.parent_module_id = barrier.module_id
    ), gate as materialized (
      select run.is_unlocked, run.lacks_place, ${now.toISOString()}::timestamptz as moment,
             case when exists (select from shown where requires_module_ids <> '{}')
               then unmet_required_modules(${person}, run.course_id, array(select distinct unnest(requires_module_ids) from shown))
               else '{}' end as unmet
      from run
    )
    select run.course, run.course_offering, run.may_manage, run.is_seen, ${person} as user_id,
           (select json_build_object('id', enrollments.id, 'status', upper(enrollments.status), 'progress_percent',
                     ${storedProgressPercentSql})
            from enrollments where enrollments.course_offering_id = run.id and enrollments.user_id = ${person}) as enrollment,
           (${modulesWithItems(person, isOwn)}) as modules
    from run`;
}

const { id, parent_module_id, module_type, title, sequence_index, depth, is_published } = modules;

const lockOf = (starts: SQL): SQL => sql`(
  select json_build_object('reason', upper(lock.reason),
           'available_from', case when lock.starts > gate.moment then ${momentForm(sql`lock.starts`)} end,
           'module_ids', array(
             select id from unnest(barrier.asked) with ordinality as asked (id, position) where id = any (gate.unmet)
             group by id order by min(position)))
  from (
    select ${starts} as starts,
           module_lock_reason(gate.lacks_place, ${starts}, barrier.asked, gate.unmet, gate.moment) as reason
  ) as lock
  where lock.reason is not null and not gate.is_unlocked)`;

/** Aggregates items once by module instead of looking them up for each. */
const modulesWithItems = (person: SQL, isOwn: boolean): SQL => sql`
  select coalesce(json_agg(module order by sequence_index), '[]') from (
    select ${wireColumnsSql({ id, parent_module_id, module_type, title, sequence_index, depth, is_published })},
           ${wireColumnsSql({
             available_from: momentForm(sql`modules.opens_at`),
             due_at: momentForm(sql`modules.due_there`),
             requires_module_ids: modules.requires_module_ids,
             computed_percent: sql`stood.computed_percent::float8`,
             completed_at: momentForm(sql`stood.completed_at`),
             lock: lockOf(sql`barrier.starts`),
             items: sql`coalesce(filled.items, '[]')`,
           })}
    from shown as ${modules} cross join gate
    left join barrier on barrier.module_id = ${modules.id}
    left join (${itemsOfModules(person, isOwn)}) as filled on filled.module_id = ${modules.id}
    left join module_progress_of_person((select run.id from run), ${person}) as stood on stood.module_id = ${modules.id}
  ) as module`;

const itemsOfModules = (person: SQL, isOwn: boolean): SQL => {
  const told = (value: SQL): SQL =>
    isOwn
      ? value
      : sql`case when not is_grading_anonymous((select run.id from run), ${contentItems.id}) then ${value} end`;
  return sql`
  select module_id, json_agg(item.told order by sequence_index) as items from (
    select ${contentItems.module_id}, ${contentItems.sequence_index}, json_build_object(
      'id', ${contentItems.id}, 'title', ${contentItems.title}, 'content_type', content_types.name,
      'sequence_index', ${contentItems.sequence_index},
      'estimated_duration_seconds', ${contentItems.estimated_duration_seconds},
      'is_active', ${contentItems.is_active}, 'available_from', ${momentForm(sql`dates.opens_at`)},
      'due_at', ${momentForm(sql`dates.due_at`)},
      'progress_percent', coalesce(${userContentProgress.progress_percent}, 0)::float8,
      'completed_at', ${told(wireForm(userContentProgress.completed_at))},
      'last_interacted_at', ${told(wireForm(userContentProgress.last_interacted_at))},
      'submission', case when content_types.name in ('engineering_lab', 'assignment') then ${told(sql`(${lastSubmission(person)})`)} end,
      'attempt', case when tried.item_id is not null then ${told(attempt(isOwn))} end,
      'lock', ${lockOf(sql`dates.opens_at`)}) as told
    from run cross join gate
    join ${contentItems} on ${contentItems.course_id} = run.course_id and (${contentItems.is_active} or run.sees_all)
    join content_types on content_types.id = ${contentItems.content_type_id}
    join effective_dates_of_items((select run.id from run), ${person}, array(
      select one.id from run join ${contentItems} as one on one.course_id = run.course_id)) as dates
      on dates.item_id = ${contentItems.id}
    left join ${userContentProgress} on ${userContentProgress.user_id} = ${person}
      and ${userContentProgress.course_offering_id} = run.id
      and ${userContentProgress.content_item_id} = ${contentItems.id}
    left join newest_attempt_per_item_of_person((select run.id from run), ${person}, (select gate.moment from gate)) as tried
      on tried.item_id = ${contentItems.id}
    left join barrier on barrier.module_id = ${contentItems.module_id}
  ) as item group by module_id`;
};

/** Learners see their score once the grades are released. */
const attempt = (isOwn: boolean): SQL => sql`
  json_build_object('number', tried.number, 'of', tried.most,
    'score', case when content_types.name = 'quiz' or ${!isOwn} or are_item_grades_released(run.id, tried.item_id)
      then tried.score::float8 end,
    'passed', tried.passed, 'state', upper(tried.state))`;

const lastSubmission = (person: SQL): SQL => sql`
  select json_build_object('attempt_number', attempt_number, 'status', status,
    'submitted_at', ${wireForm(labSubmissions.submitted_at)}, 'is_late', is_late)
  from lab_submissions
  where ${labSubmissions.user_id} = ${person} and ${labSubmissions.course_offering_id} = run.id
    and ${labSubmissions.content_item_id} = ${contentItems.id}
  order by attempt_number desc limit 1`;
