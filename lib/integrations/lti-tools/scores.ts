import { sql } from "drizzle-orm";
import * as z from "zod";
import { Instant } from "../../../schema/api/platform/fields.ts";
import { ItemScoreLimit, scoreAboveLimitError } from "../../assessment/score-bound.ts";
import type { Deps } from "../../deps.ts";
import { badRequest, conflict, invalidField, notFound } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { retryWhileBusy } from "../../platform/db/retry-window.ts";
import type { ToolCaller } from "./access-tokens.ts";
import { deployedOfferingQuery, lineItemOfDeployedToolCondition } from "./deployed-offering.ts";
import { decryptSubject, encryptSubject } from "./subjects.ts";
import { activityProgress } from "./submission-review.ts";
import { lineItemUrl } from "./tool-addresses.ts";

export type LineItemPath = { offering_id: number; content_item_id: number };

/** A score of AGS 2.0; other fields are ignored. */
export const Score = z
  .object({
    userId: z.string().min(1).max(255),
    timestamp: Instant,
    activityProgress: z.enum(activityProgress),
    gradingProgress: z.enum(["FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"]),
    scoreGiven: z.number().min(0).max(1_000_000).optional(),
    scoreMaximum: z.number().positive().max(1_000_000).optional(),
    comment: z.string().max(10_000).optional(),
    submission: z.object({ submittedAt: Instant.optional() }).optional(),
  })
  .refine(({ scoreGiven, scoreMaximum }) => scoreGiven === undefined || scoreMaximum !== undefined, {
    path: ["scoreMaximum"],
    message: "Field required with scoreGiven",
  });
export type Score = z.output<typeof Score>;

const Target = z.object({ subject_key: z.string(), item_id: z.int().nullable() });

const Stored = z.object({
  is_enrolled: z.boolean(),
  is_within: z.boolean(),
  /** As of `grade_submissions_by_auto_grader_result`; null if nothing was to be stored. */
  outcome: z.string().nullable(),
  bound: ItemScoreLimit.nullable(),
});

/**
 * Stores a final score as the learner's grade in the item, unless a person has graded. Other scores change nothing.
 * Idempotent. 404 for another tool's item or a person without a seat, 409 for a score older than the stored one, 400
 * for too many points or a final course grade.
 */
export async function storeToolScore(
  { db, now }: Pick<Deps, "db" | "now">,
  caller: ToolCaller,
  path: LineItemPath,
  score: Score,
): Promise<void> {
  const moment = now();
  if (new Date(score.timestamp).getTime() > moment.getTime() + longestAheadMs)
    throw invalidField(["timestamp"], "Input should not be in the future");
  const personId = decryptSubject(await readSubjectKey(db, caller, path), score.userId);
  if (personId === undefined) throw notFound("Enrollment");
  const [row] = await retryWhileBusy(() =>
    rowsOf(db, Stored, storedScore(caller, path, { ...score, personId }, moment)),
  );
  if (!row) throw notFound("Graded item");
  if (!row.is_enrolled) throw notFound("Enrollment");
  if (!row.is_within) throw scoreAboveLimitError(row.bound);
  if (row.outcome === "superseded") throw conflict("lti_score_older");
  if (row.outcome === "final") throw badRequest("grade_is_final");
}

/** A tool's clock may be ahead. */
const longestAheadMs = 300_000;

async function readSubjectKey(db: ReadDb, caller: ToolCaller, path: LineItemPath): Promise<string> {
  const [target] = await rowsOf(
    db,
    Target,
    sql`
      with deployed as materialized (${deployedOfferingQuery(caller, path.offering_id)})
      select deployed.subject_key, item.id as item_id
      from deployed left join content_items as item on ${lineItemOfDeployedToolCondition} and item.id = ${path.content_item_id}`,
  );
  if (!target) throw notFound("Offering");
  if (target.item_id === null) throw notFound("Graded item");
  return target.subject_key;
}

/**
 * The score becomes a graded submission of the learner. `grade_submissions_by_auto_grader_result` compares the timestamps and keeps
 * grades of people. A submission time sets whether the work is late.
 */
function storedScore(
  caller: ToolCaller,
  { offering_id, content_item_id }: LineItemPath,
  score: Score & { personId: number },
  moment: Date,
) {
  const { personId, scoreGiven, scoreMaximum, timestamp, submission, comment, gradingProgress } = score;
  const isFinal = gradingProgress === "FullyGraded" && scoreGiven !== undefined;
  const ratio = isFinal ? scoreGiven / (scoreMaximum ?? 1) : null;
  const at = moment.toISOString();
  const submittedAt = submission?.submittedAt ?? null;
  const details = JSON.stringify({
    gradingProgress,
    activityProgress: score.activityProgress,
    ...(comment && { comment }),
  });
  return sql`
    with deployed as materialized (${deployedOfferingQuery(caller, offering_id)}),
    target as materialized (
      select deployed.offering_id, item.id as item_id, seat.user_id, limits.bound,
             round(${ratio}::numeric * (limits.bound -> 'points')::numeric, 2) as score
      from deployed join content_items as item on ${lineItemOfDeployedToolCondition} and item.id = ${content_item_id}
      join score_bounds as limits on limits.content_item_id = item.id
      left join enrollments as seat
        on seat.course_offering_id = deployed.offering_id and seat.user_id = ${personId} and seat.is_admitted
    ), locked as materialized (
      select target.*, lock_offering_grades_shared(target.offering_id) from target
      where target.user_id is not null and target.score <= (target.bound -> 'most')::numeric
    ), work as (
      insert into lab_submissions as one
        (user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late)
      select locked.user_id, locked.offering_id, locked.item_id, 1, came.at, dates.due_at, coalesce(came.at > dates.due_at, false)
      from locked
      cross join lateral effective_dates_of_items(locked.offering_id, locked.user_id, array[locked.item_id]) as dates
      cross join lateral (
        select least(coalesce(${submittedAt}::timestamptz, ${timestamp}::timestamptz), ${at}::timestamptz) as at) as came
      on conflict on constraint lab_submissions_attempt_number_unique do update set
        submitted_at = case when ${submittedAt !== null}::boolean and one.auto_graded_at < ${timestamp}::timestamptz
          then excluded.submitted_at else one.submitted_at end,
        is_late = case when ${submittedAt !== null}::boolean and one.auto_graded_at < ${timestamp}::timestamptz
          then excluded.is_late else one.is_late end
      returning one.id
    )
    select target.user_id is not null as is_enrolled, target.bound, stored.outcome,
           coalesce(target.score <= (target.bound -> 'most')::numeric, true) as is_within
    from target left join work on true
    left join lateral grade_submissions_by_auto_grader_result(
      work.id, target.score, ${details}::jsonb, ${timestamp}, 1, ${at}, ${requestAuditJson()}::jsonb) as stored
      on work.id is not null`;
}

export type ToolResult = {
  id: string;
  scoreOf: string;
  userId: string;
  resultScore?: number;
  resultMaximum: number;
};

const ResultRow = z.object({
  subject_key: z.string(),
  item_id: z.int().nullable(),
  points: z.number().nullable(),
  user_id: z.int().nullable(),
  score: z.number().nullable(),
});

export type ResultFilter = { user_id?: string | undefined; after?: string | undefined; limit: number };

/** The gradebook's scores in an item by account, including overrides. Errors as for storing a score. */
export async function listResults(
  db: ReadDb,
  caller: ToolCaller,
  path: LineItemPath,
  filter: ResultFilter,
  service: string,
): Promise<{ results: ToolResult[]; next: string | undefined }> {
  const { limit } = filter;
  const key = await readSubjectKey(db, caller, path);
  const personOf = (subject: string | undefined) =>
    subject === undefined ? undefined : (decryptSubject(key, subject) ?? 0);
  const rows = await rowsOf(
    db,
    ResultRow,
    sql`
      with deployed as materialized (${deployedOfferingQuery(caller, path.offering_id)}), people as materialized (
        select seat.user_id from enrollments as seat
        where seat.course_offering_id = ${path.offering_id} and seat.is_admitted
          and seat.user_id > ${personOf(filter.after) ?? 0}
          and seat.user_id = coalesce(${personOf(filter.user_id) ?? null}::int, seat.user_id)
        order by seat.user_id limit ${limit + 1}
      ), cell as materialized (
        select one.user_id, one.item_id, one.score
        from deployed cross join lateral gradebook_cells_of_people(deployed.offering_id, array(select user_id from people)) as one
      )
      select deployed.subject_key, item.id as item_id, max_points_of_item('external_tool', item.data_json)::float8 as points,
             people.user_id, cell.score::float8
      from deployed join content_items as item on ${lineItemOfDeployedToolCondition} and item.id = ${path.content_item_id}
      left join people on true
      left join cell on cell.user_id = people.user_id and cell.item_id = item.id
      order by people.user_id`,
  );
  const url = lineItemUrl(service, path.offering_id, path.content_item_id);
  const toResult = ({ user_id, score, points, subject_key }: z.output<typeof ResultRow>): ToolResult[] => {
    if (user_id === null || score === null) return [];
    const userId = encryptSubject(subject_key, user_id);
    return [
      {
        id: `${url}/results/${userId}`,
        scoreOf: url,
        userId,
        resultScore: score,
        resultMaximum: points ?? 0,
      },
    ];
  };
  const last = rows[limit - 1]?.user_id;
  return {
    results: rows.slice(0, limit).flatMap(toResult),
    next: rows.length > limit && last ? encryptSubject(key, last) : undefined,
  };
}
