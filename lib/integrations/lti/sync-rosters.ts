/*
 * Reads rosters from LMSs (NRPS 2.0), on request and each night. It reads all pages first: an interrupted
 * reading drops no one. Staff must confirm a roster that would drop over a third of the people.
 */
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { RosterCounts } from "../../../schema/db/integrations/lti-rosters.ts";
import { ltiRosterModes } from "../../../schema/enums.ts";
import type { Deps } from "../../deps.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { doInSteps } from "../../platform/db/query/steps.ts";
import type { PlatformServiceDeps } from "./access-tokens.ts";
import { fetchLtiRoster, type Roster, type RosterMember } from "./roster-pages.ts";
import { ServiceFailure } from "./service-failure.ts";

const leaseSeconds = 900;
const rostersChangedPerStep = 50;
const lookedAtOnce = 1000;
/** Immediate tries of an unreadable roster; after that the next night. */
const maxImmediateRosterTries = 5;
const maxDroppedShareOfRoster = 1 / 3;

type Parts = PlatformServiceDeps & Pick<Deps, "metrics" | "log"> & { db: Db };

const Leased = z.object({
  context_id: z.int(),
  mode: z.enum(ltiRosterModes),
  tries: z.int(),
  memberships_url: z.string(),
  differences_url: z.string().nullable(),
  platform_id: z.int(),
  client_id: z.string(),
  auth_token_url: z.string(),
  staff_by_institution_role: z.boolean(),
});
type Leased = z.output<typeof Leased>;

export async function syncDueRosters(parts: Parts, signal?: AbortSignal): Promise<{ rosters: number }> {
  let rosters = 0;
  while (!signal?.aborted) {
    const moment = parts.now().toISOString();
    await parts.db.execute(insertNightlyRostersQuery(moment));
    const [leased] = await rowsOf(parts.db, Leased, leaseRosterQuery(moment));
    if (!leased) break;
    await work(parts, leased, signal);
    rosters += 1;
  }
  return { rosters };
}

/** Minutes differ by context, to spread the load on an LMS. */
export const nextNightlySyncAtSql = (context: SQL, moment: string): SQL => sql`(
  (date_trunc('day', ${moment}::timestamptz at time zone 'UTC') + interval '1 day 1 hour'
    + make_interval(mins => ${context} % 240)) at time zone 'UTC')`;

export const insertNightlyRostersQuery = (moment: string): SQL => sql`
  insert into lti_rosters (context_id, state, mode, due_at, created_at, updated_at)
  select one.id, 'asked', 'nightly', ${nextNightlySyncAtSql(sql`one.id`, moment)}, ${moment}::timestamptz, ${moment}::timestamptz
  from lti_contexts as one
  where one.memberships_url is not null and not exists (select from lti_rosters as known where known.context_id = one.id)
  order by one.id limit 100
  on conflict do nothing`;

/** Rosters of an inactive university wait until it is active. */
export const leaseRosterQuery = (moment: string): SQL => sql`
  with next as (
    select one.context_id from lti_rosters as one join lti_contexts as bound on bound.id = one.context_id
    join course_offerings as run on run.id = bound.course_offering_id
    where greatest(one.due_at, coalesce(one.lease_until, one.due_at)) <= ${moment}::timestamptz
      and bound.memberships_url is not null
      and (one.mode <> 'nightly' or coalesce(run.ends_at, ${moment}::timestamptz) >= ${moment}::timestamptz)
      and (select is_active from universities where id = run.university_id)
    order by greatest(one.due_at, coalesce(one.lease_until, one.due_at)) limit 1 for update of one skip locked
  ), leased as (
    update lti_rosters as one
    set lease_until = ${moment}::timestamptz + make_interval(secs => ${leaseSeconds}), tries = one.tries + 1
    from next where one.context_id = next.context_id returning one.*
  )
  select leased.context_id, leased.mode, leased.tries, bound.memberships_url,
         case when leased.taken_at > ${moment}::timestamptz - interval '7 days' then leased.differences_url end as differences_url,
         platform.id as platform_id, platform.client_id, platform.auth_token_url, platform.staff_by_institution_role
  from leased join lti_contexts as bound on bound.id = leased.context_id
  join lti_platforms as platform on platform.id = bound.platform_id`;

type Noted = Pick<Leased, "tries"> & Omit<End, "retryAfter">;

/** The next reading is due at `next`, or now if one was requested since. */
export const storeRosterResultQuery = (contextId: number, ended: Noted, next: SQL, moment: string): SQL => {
  const { tries, state, counts, failure, differences_url } = ended;
  const isLast = sql`former.tries = ${tries}`;
  const isDone = sql`${isLast} and ${state}::text <> 'failed'`;
  return sql`
    with former as (
      select * from lti_rosters where context_id = ${contextId} for update
    ), ended as (
      update lti_rosters as one set
        lease_until = null, ended_at = ${moment}::timestamptz, failure = ${failure ?? null},
        counts = coalesce(${counts ? JSON.stringify(counts) : null}::jsonb, one.counts),
        taken_at = case when ${state}::text = 'taken' then ${moment}::timestamptz else one.taken_at end,
        differences_url = case when ${state}::text = 'taken'
          then coalesce(${differences_url ?? null}, one.differences_url) else one.differences_url end,
        state = case when ${isLast} then ${state}::text else one.state end,
        mode = case when ${isDone} then 'nightly' else one.mode end,
        due_at = case when ${isLast} then ${next} else one.due_at end,
        tries = case when ${isDone} then 0 else one.tries end,
        updated_at = ${moment}::timestamptz
      from former where one.context_id = former.context_id
    )
    select audit('lti_roster.taken', former.asked_by_user_id, null, bound.university_id, jsonb_build_object(
      'course_offering_id', bound.course_offering_id, 'lti_context_id', bound.id,
      'enrolled', ${counts?.enrolled ?? null}::int, 'dropped', ${counts?.dropped ?? null}::int,
      'confirmed', former.mode = 'confirmed'), jsonb_build_object('at', ${moment}::text))
    from former join lti_contexts as bound on bound.id = former.context_id
    where ${state}::text = 'taken' and former.asked_by_user_id is not null and former.mode <> 'nightly'`;
};

type End = {
  state: "taken" | "dry" | "failed" | "waiting";
  counts?: RosterCounts | undefined;
  failure?: string | undefined;
  retryAfter?: number | undefined;
  differences_url?: string | undefined;
};

async function work(parts: Parts, leased: Leased, signal: AbortSignal | undefined): Promise<void> {
  const ended = await readAndTake(parts, leased, signal).catch((error: unknown): End => {
    if (!(error instanceof ServiceFailure)) throw error;
    parts.log.warn({ lti_context: leased.context_id, why: error.message }, "a roster could not be read");
    return { state: "failed", failure: error.message.slice(0, 255), retryAfter: error.retryAfter };
  });
  parts.metrics.ltiServiceCalled("roster", ended.state === "failed" ? "later" : "done");
  const moment = parts.now();
  const minutes = 5 * 2 ** Math.min(leased.tries - 1, maxImmediateRosterTries);
  const again_at = new Date(moment.getTime() + Math.max(minutes * 60, ended.retryAfter ?? 0) * 1000);
  const { state, counts, failure, differences_url } = ended;
  const isTriedAgain = state === "failed" && leased.tries < maxImmediateRosterTries;
  const noted = {
    tries: leased.tries,
    state,
    counts,
    failure,
    differences_url,
  };
  const at = moment.toISOString();
  const next = isTriedAgain
    ? sql`${again_at.toISOString()}::timestamptz`
    : nextNightlySyncAtSql(sql`${leased.context_id}::int`, at);
  await parts.db.execute(storeRosterResultQuery(leased.context_id, noted, next, at));
}

const requestAt = (at: Date): string => JSON.stringify({ at: at.toISOString() });

async function readAndTake(parts: Parts, leased: Leased, signal: AbortSignal | undefined): Promise<End> {
  const { memberships_url, differences_url, mode, staff_by_institution_role } = leased;
  const isWhole = mode !== "nightly" || differences_url === null;
  const roster = await fetchLtiRoster(parts, leased, {
    address: isWhole ? memberships_url : differences_url,
    staffByInstitutionRole: staff_by_institution_role,
    signal,
  });
  const { people, given } = await missingFrom(parts.db, leased.context_id, roster, isWhole);
  const isDry = mode === "dry";
  const fresh = await freshOf(parts.db, leased.context_id, roster.members, signal);
  const counts = await takeMembers(parts, leased, fresh, isDry, signal);
  counts.members = roster.members.length;
  counts.unchanged += roster.members.length - fresh.length;
  counts.refused += roster.unreadable;
  counts.dropped = people.length;
  const isTooMany =
    people.length > given * maxDroppedShareOfRoster && people.length > 0 && mode !== "confirmed";
  if (isDry) return { state: "dry", counts };
  if (isTooMany) return { state: "waiting", counts };
  await dropMembers(parts, leased.context_id, people, signal);
  return { state: "taken", counts, differences_url: roster.differences_url };
}

const Given = z.object({ person: z.int(), subjects: z.array(z.string()) });

/**
 * People with a seat or staff role from an LMS's bound course, by subject. Looked up by account, even before
 * the database has statistics.
 */
export const peopleEnrolledByLtiContextQuery = (contextId: number): SQL => sql`
  select given.user_id as person, array(
    select known.subject from (
      select one.platform_id, one.subject::text from lti_people as one where one.user_id = given.user_id offset 0
    ) as known where known.platform_id = (select platform_id from lti_contexts where id = ${contextId})) as subjects
  from (
    select mine.user_id from lti_enrollments as one join enrollments as mine on mine.id = one.enrollment_id
    where one.context_id = ${contextId} and mine.status in ('active', 'pending', 'waitlisted')
    union
    select staff.user_id from offering_staff as staff
    where staff.lti_context_id = ${contextId} and staff.removed_at is null
  ) as given
  where exists (select from lti_contexts where id = ${contextId})
  order by 1`;

async function missingFrom(db: Db, contextId: number, { members, absent }: Roster, isWhole: boolean) {
  const given = await rowsOf(db, Given, peopleEnrolledByLtiContextQuery(contextId));
  const there = new Set(members.map(({ subject }) => subject));
  const isMissing = ({ subjects }: z.output<typeof Given>): boolean =>
    !subjects.some((one) => there.has(one)) && (isWhole || subjects.some((one) => absent.has(one)));
  return { given: given.length, people: given.filter(isMissing).map(({ person }) => person) };
}

const Settled = z.object({ subject: z.string() });

/** Unchanged people: most are, and one query without locks handles them. */
export const unchangedRosterMembersQuery = (
  contextId: number,
  members: readonly Partial<RosterMember>[],
): SQL => sql`
  select told.subject
  from lti_contexts as bound
  cross join jsonb_to_recordset(${JSON.stringify(members)}::jsonb)
    as told (subject text, name text, email text, sourced_id text, role text)
  join lti_people as known on known.platform_id = bound.platform_id and known.subject = told.subject
  join users as account on account.id = known.user_id and account.is_active
  where bound.id = ${contextId}
    and (known.told_name, known.told_email, known.told_sourced_id)
      is not distinct from (told.name, told.email, told.sourced_id)
    and has_lti_role_in_offering(bound, account.id, told.role)`;

async function freshOf(
  db: Db,
  contextId: number,
  members: readonly RosterMember[],
  signal: AbortSignal | undefined,
): Promise<RosterMember[]> {
  const fresh: RosterMember[] = [];
  for (let at = 0; at < members.length && !signal?.aborted; at += lookedAtOnce) {
    const looked = members.slice(at, at + lookedAtOnce);
    const settled = await rowsOf(db, Settled, unchangedRosterMembersQuery(contextId, looked));
    const subjects = new Set(settled.map(({ subject }) => subject));
    fresh.push(...looked.filter(({ subject }) => !subjects.has(subject)));
  }
  if (signal?.aborted) throw stopped();
  return fresh;
}

const Taken = z.object({
  outcome: z.enum(["enrolled", "staff", "unchanged", "kept_dropped", "awaiting_sign_in", "refused"]),
});

async function takeMembers(
  { db, now }: Parts,
  { context_id }: Leased,
  members: readonly RosterMember[],
  isDry: boolean,
  signal: AbortSignal | undefined,
): Promise<RosterCounts> {
  const counts: RosterCounts = {
    ...{ members: members.length, enrolled: 0, staff: 0, dropped: 0, unchanged: 0 },
    ...{ kept_dropped: 0, awaiting_sign_in: 0, refused: 0 },
  };
  let at = 0;
  if (members.length > 0)
    await doInSteps(db, { rows: rostersChangedPerStep, signal }, async (tx, rows) => {
      const step = members.slice(at, at + rows);
      const taken = await rowsOf(
        tx,
        Taken,
        sql`select outcome from import_lti_members(${context_id}, ${JSON.stringify(step)}::jsonb, ${isDry},
                                                 ${requestAt(now())}::jsonb)`,
      );
      for (const { outcome } of taken) counts[outcome] += 1;
      at += step.length;
      return at < members.length;
    });
  ensureWhole(at, members.length);
  return counts;
}

async function dropMembers(
  { db, now }: Parts,
  contextId: number,
  people: readonly number[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let at = 0;
  if (people.length > 0)
    await doInSteps(db, { rows: rostersChangedPerStep, signal }, async (tx, rows) => {
      const step = people.slice(at, at + rows);
      await tx.execute(sql`
        select set_lti_role_in_offering(bound, person, null, 'roster', ${requestAt(now())}::jsonb)
        from lti_contexts as bound cross join unnest(${sql.param(step)}::int[]) as person where bound.id = ${contextId}`);
      at += step.length;
      return at < people.length;
    });
  ensureWhole(at, people.length);
}

/** An interrupted reading starts over: most of it is then unchanged. */
function ensureWhole(done: number, of: number): void {
  if (done < of) throw stopped();
}

const stopped = () => new ServiceFailure("it was interrupted", "later");
