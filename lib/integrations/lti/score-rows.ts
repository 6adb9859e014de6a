import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { changeInSteps, repeatInStepsWhileMore } from "../../platform/db/query/steps.ts";

/** A sender's lease. */
const leaseSeconds = 300;

/** People per step. */
const scoredPeoplePerStep = 200;

const LeasedScore = z.object({
  link_id: z.int(),
  person_id: z.int(),
  marks: z.int(),
  tries: z.int(),
  /** Later than the last timestamp. */
  told_at: z.string(),
  was_told: z.boolean(),
  is_same: z.boolean(),
  score: z.number().nullable(),
  maximum: z.number().nullable(),
  subject: z.string(),
  line_item_url: z.string(),
  platform_id: z.int(),
  client_id: z.string(),
  auth_token_url: z.string(),
});

/** A due score with the data to send. No score clears the LMS's value. */
export type LeasedScore = z.output<typeof LeasedScore>;

export type ScoreOutcome = Pick<LeasedScore, "link_id" | "person_id" | "marks"> & {
  /** The `told_at` that it was leased with. */
  leased_at: string;
  /** `same`: the LMS has it. `none`: nothing to send. `later`: retry at `due_at`. `kept`: not tried. */
  outcome: "sent" | "same" | "none" | "refused" | "later" | "kept";
  score?: number | null;
  maximum?: number | null;
  told_at?: string;
  failure?: string;
  due_at?: string;
};

/** Marks of changed grades become rows. Gives up scores that waited too long. Returns their number. */
export async function enqueueAndAbandonScores(
  db: Db,
  now: () => Date,
  signal?: AbortSignal,
): Promise<number> {
  const steps = { rows: scoredPeoplePerStep, signal };
  await repeatInStepsWhileMore(
    db,
    steps,
    (rows) => sql`move_lti_score_marks_to_due_scores(${rows}, ${now().toISOString()})`,
  );
  return changeInSteps(db, steps, (rows) => abandonOverdueScoresQuery(rows, now().toISOString()));
}

/** Gives up rows after seven days; staff see the reason and may resend them. */
export const abandonOverdueScoresQuery = (most: number, moment: string): SQL => sql`
  with late as (
    select one.link_id, one.person_id, pause.failure
    from lti_scores as one
    join lti_people as person on person.id = one.person_id
    left join lti_service_pauses as pause on pause.platform_id = person.platform_id
    where one.due_at is not null and one.waits_since < ${moment}::timestamptz - interval '7 days'
      and (one.lease_until is null or one.lease_until <= ${moment}::timestamptz)
    order by one.due_at limit ${most} for update of one skip locked
  )
  update lti_scores as one
  set due_at = null, is_refused = true, failure = coalesce(one.failure, late.failure, 'it waited for seven days')
  from late where one.link_id = late.link_id and one.person_id = late.person_id returning 1`;

/** Concurrent callers get different ones. */
export const leaseScores = (db: Db, most: number, moment: Date): Promise<LeasedScore[]> =>
  rowsOf(db, LeasedScore, leaseScoresQuery(most, moment.toISOString()));

/** Counts a try of each score. Skips paused platforms. Scores are as of now. */
export const leaseScoresQuery = (most: number, moment: string): SQL => sql`
  with next as (
    select one.link_id, one.person_id
    from lti_scores as one
    join lti_people as person on person.id = one.person_id
    where one.due_at <= ${moment}::timestamptz
      and (one.lease_until is null or one.lease_until <= ${moment}::timestamptz) and not exists (
        select from lti_service_pauses as pause
        where pause.platform_id = person.platform_id and pause.until > ${moment}::timestamptz)
    order by one.due_at, one.link_id, one.person_id limit ${most} for update of one skip locked
  ), leased as (
    update lti_scores as one
    set tries = one.tries + 1, lease_until = ${moment}::timestamptz + make_interval(secs => ${leaseSeconds}),
        told_at = greatest(${moment}::timestamptz, one.told_at + interval '1 second')
    from next, lti_scores as former
    where one.link_id = next.link_id and one.person_id = next.person_id
      and former.link_id = next.link_id and former.person_id = next.person_id
    returning one.*, former.told_at is not null as was_told
  ), asked as (
    select link.id, context.course_offering_id,
           array_agg(person.user_id) filter (where person.user_id is not null) as people
    from leased
    join lti_links as link on link.id = leased.link_id
    join lti_contexts as context on context.id = link.context_id
    join lti_people as person on person.id = leased.person_id
    group by link.id, context.course_offering_id
  ), worth as (
    select link.id, value.* from asked join lti_links as link on link.id = asked.id
    cross join lateral (${scoreValuesQuery(sql`asked.course_offering_id`, sql`asked.people`)}) as value
  )
  select leased.link_id, leased.person_id, leased.marks, leased.tries, ${momentForm(sql`leased.told_at`)} as told_at,
         leased.was_told,
         leased.sent_at is not null and (leased.sent_score, case when leased.sent_score is not null then leased.sent_maximum end)
           is not distinct from (worth.score, case when worth.score is not null then worth.maximum end) as is_same,
         worth.score::float8, worth.maximum::float8, person.subject, link.line_item_url, platform.id as platform_id,
         platform.client_id, platform.auth_token_url
  from leased
  join lti_links as link on link.id = leased.link_id
  join lti_people as person on person.id = leased.person_id
  join lti_platforms as platform on platform.id = person.platform_id
  left join worth on worth.id = leased.link_id and worth.user_id = person.user_id
  order by platform.id, leased.link_id, leased.person_id`;

/**
 * The scores as these people see them. An item: its points, once released; LTI requires a maximum above zero,
 * so extra credit has none. A module: the percent of its released points. The course: the final grade, else
 * the percent of released points. `score` is null without one and for excused people.
 */
export const scoreValuesQuery = (offering: SQL, people: SQL): SQL => sql`
  select cell.user_id, cell.score, item.max_points as maximum
  from gradebook_items_of_offering(${offering}) as item
  join gradebook_cells_of_people(${offering}, ${people}) as cell on cell.item_id = item.item_id
  where link.content_item_id is not null and item.item_id = link.content_item_id and item.released
    and item.max_points > 0
  union all
  select cell.user_id, round(sum(cell.score) / nullif(sum(item.max_points), 0) * 100, 2), 100
  from gradebook_items_of_offering(${offering}) as item
  join content_items as content on content.id = item.item_id and content.module_id in (
    with recursive within (id) as (
      select link.module_id
      union
      select below.id from within cross join lateral (
        select one.id from modules as one where one.parent_module_id = within.id offset 0
      ) as below
    )
    select within.id from within)
  join gradebook_cells_of_people(${offering}, ${people}) as cell on cell.item_id = item.item_id and cell.score is not null
  where link.content_item_id is null and link.module_id is not null and item.released
  group by cell.user_id
  union all
  select total.user_id, coalesce(final.final_score, total.current_percent), 100
  from current_and_final_course_percents(${offering}, ${people}, true, false) as total
  left join course_grades as final on final.course_offering_id = ${offering} and final.user_id = total.user_id
    and final.graded_at is not null
  where link.content_item_id is null and link.module_id is null`;

export async function storeScoreOutcomes(
  db: Db,
  ended: readonly ScoreOutcome[],
  moment: Date,
): Promise<void> {
  if (ended.length === 0) return;
  await db.transaction(async (tx) => {
    for (const statement of storeScoreOutcomesQueries(ended, moment.toISOString()))
      await tx.execute(statement);
  });
}

/**
 * Ignores a superseded lease. A score marked during the lease stays due. Two statements: the second must see
 * a mark that the first waited for.
 */
export const storeScoreOutcomesQueries = (ended: readonly ScoreOutcome[], moment: string): SQL[] => {
  const done = sql`jsonb_to_recordset(${JSON.stringify(ended)}::jsonb) as done (
    link_id integer, person_id integer, marks integer, leased_at timestamptz, outcome text, score numeric, maximum numeric,
    told_at timestamptz, failure text, due_at timestamptz)`;
  const isLeased = sql`one.link_id = done.link_id and one.person_id = done.person_id and one.told_at = done.leased_at
    and one.lease_until is not null`;
  return [
    sql`
      delete from lti_scores as one using ${done}
      where ${isLeased} and one.marks = done.marks and done.outcome = 'none'`,
    sql`
      update lti_scores as one
      set lease_until = null,
          tries = case when done.outcome = 'kept' then greatest(0, one.tries - 1) else one.tries end,
          told_at = coalesce(done.told_at, one.told_at),
          sent_at = case when done.outcome = 'sent' then ${moment}::timestamptz else one.sent_at end,
          sent_score = case when done.outcome = 'sent' then done.score else one.sent_score end,
          sent_maximum = case when done.outcome = 'sent' then done.maximum else one.sent_maximum end,
          is_refused = done.outcome = 'refused' and one.marks = done.marks,
          failure = case when one.marks <> done.marks or done.outcome in ('sent', 'same') then null
                         else coalesce(done.failure, one.failure) end,
          due_at = case when one.marks <> done.marks then one.due_at
                        when done.outcome = 'later' then done.due_at
                        when done.outcome = 'kept' then one.due_at end
      from ${done} where ${isLeased}`,
  ];
};

/**
 * Pauses an unresponsive platform: a minute, then twice as long each time, at most an hour, or as long as it
 * asks. Concurrent failures count once.
 */
export async function pausePlatform(
  db: Db,
  platformId: number,
  { seconds, why }: { seconds: number; why: string },
  moment: Date,
): Promise<void> {
  await db.execute(pausePlatformQuery(platformId, seconds, why, moment.toISOString()));
}

export const pausePlatformQuery = (
  platformId: number,
  seconds: number,
  why: string,
  moment: string,
): SQL => sql`
  insert into lti_service_pauses as one (platform_id, until, tries, failure)
  select ${platformId}, ${moment}::timestamptz + make_interval(secs => ${Math.max(60, seconds)}), 1, ${why}
  where exists (select from lti_platforms where id = ${platformId} for key share)
  on conflict (platform_id) do update
    set until = ${moment}::timestamptz
          + make_interval(secs => greatest(${seconds}, least(3600, 60 * 2 ^ least(one.tries, 10))::int)),
        tries = one.tries + 1, failure = excluded.failure
    where one.until <= ${moment}::timestamptz`;

/** A paused platform responds again. */
export async function endPlatformPause(db: Db, platformId: number): Promise<void> {
  await db.execute(sql`delete from lti_service_pauses where platform_id = ${platformId}`);
}

export async function nextScoreDue(db: ReadDb): Promise<Date | undefined> {
  const [next] = await rowsOf(
    db,
    NextDue,
    sql`select (extract(epoch from min(greatest(due_at, coalesce(lease_until, due_at)))) * 1000)::float8 as due
        from lti_scores where due_at is not null`,
  );
  return next?.due == null ? undefined : new Date(next.due);
}

const NextDue = z.object({ due: z.number().nullable() });
