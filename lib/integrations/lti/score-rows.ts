import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { repeatInSteps, sumOfSteps } from "../../platform/db/query/steps.ts";

/** A sender's lease. */
const leaseSeconds = 300;

/** People per step. */
const atOnce = 200;

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

export type EndedScore = Pick<LeasedScore, "link_id" | "person_id" | "marks"> & {
  /** The `told_at` that it was leased with. */
  leased_at: string;
  outcome: "sent" | "same" | "none" | "refused" | "later" | "kept";
  score?: number | null;
  maximum?: number | null;
  told_at?: string;
  failure?: string;
  due_at?: string;
};

/**
 * Turns marks of changed grades into rows, and gives up scores that waited too long. Returns the number given
 * up.
 */
export async function prepareScores(db: Db, now: () => Date, signal?: AbortSignal): Promise<number> {
  const steps = { rows: atOnce, signal };
  await repeatInSteps(db, steps, (rows) => sql`fold_lti_score_marks(${rows}, ${now().toISOString()})`);
  return sumOfSteps(db, steps, (rows) => sql`give_up_lti_scores(${rows}, ${now().toISOString()})`);
}

/** Concurrent callers get different scores. */
export const leaseScores = (db: Db, most: number, moment: Date): Promise<LeasedScore[]> =>
  rowsOf(
    db,
    LeasedScore,
    sql`select link_id, person_id, marks, tries, ${momentForm(sql`told_at`)} as told_at, was_told, is_same, score::float8, maximum::float8, subject,
               line_item_url, platform_id, client_id, auth_token_url
        from lease_lti_scores(${most}, ${leaseSeconds}, ${moment.toISOString()})`,
  );

export async function endScores(db: Db, ended: readonly EndedScore[], moment: Date): Promise<void> {
  if (ended.length === 0) return;
  await db.execute(sql`select end_lti_scores(${JSON.stringify(ended)}::jsonb, ${moment.toISOString()})`);
}

/**
 * Pauses a platform that does not respond: for a minute, then twice as long each time, at most an hour, or as
 * long as it asks. Concurrent failures count once.
 */
export async function pausePlatform(
  db: Db,
  platformId: number,
  { seconds, why }: { seconds: number; why: string },
  moment: Date,
): Promise<void> {
  await db.execute(pausedServices(platformId, seconds, why, moment.toISOString()));
}

export const pausedServices = (platformId: number, seconds: number, why: string, moment: string): SQL => sql`
  insert into lti_service_pauses as one (platform_id, until, tries, failure)
  select ${platformId}, ${moment}::timestamptz + make_interval(secs => ${Math.max(60, seconds)}), 1, ${why}
  where exists (select from lti_platforms where id = ${platformId} for key share)
  on conflict (platform_id) do update
    set until = ${moment}::timestamptz
          + make_interval(secs => greatest(${seconds}, least(3600, 60 * 2 ^ least(one.tries, 10))::int)),
        tries = one.tries + 1, failure = excluded.failure
    where one.until <= ${moment}::timestamptz`;

/** A paused platform responds again. */
export async function endPause(db: Db, platformId: number): Promise<void> {
  await db.execute(sql`delete from lti_service_pauses where platform_id = ${platformId}`);
}

/** The due time of the next waiting score; undefined if none waits. */
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
