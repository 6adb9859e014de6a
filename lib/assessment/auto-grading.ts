import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { type AutoGrade, type AutoGradeResult, AutoGrader } from "../../schema/api/assessment/submissions.ts";
import { nameOnRecord } from "../../schema/db/identity/users.ts";
import { momentForm } from "../../schema/db/platform/columns.ts";
import { badRequest, forbidden, notFound } from "../errors.ts";
import { insertAuditEventsQuery } from "../identity/audit/record.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { requestAuditJson } from "../platform/async/request-context.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { retryWhileBusy } from "../platform/db/retry-window.ts";
import { explainItemRefusal, type OfferingItemPath, permittedItemQuery } from "./graded-items.ts";
import {
  ensureGraderCallSigned,
  type GraderCall,
  type GraderMasterKeys,
  GraderSecretVersionRow,
  graderSecretVersionColumnsSql,
  invalidSignatureError,
} from "./grader-calls.ts";
import { deriveGraderSecret, parseGraderSignatureHeader } from "./grader-signature.ts";
import { ItemScoreLimit, scoreAboveLimitError } from "./score-bound.ts";

const Grader = AutoGrader.omit({ secret: true });

/** Instructor or above, and learner in no offering. */
export const readableGraderSecretCondition = (person: SQL, course: SQL): SQL => sql`exists (
  select from roles_at_course(${person}, ${course}) as held
  where held not in ('student', 'ta') and (held <> 'instructor' or not exists (
    select from learners where learners.user_id = ${person} and learners.course_id = ${course})))`;

/** With the readers of the secret, including the caller: the same statement records them. */
const told = (actor: Actor, now: Date): SQL => sql`
  select version, ${momentForm(sql`renewed_at`)} as renewed_at, (
    select json_agg(json_build_object(
      'user_id', users.id, 'full_name', ${nameOnRecord}, 'read_at', ${momentForm(sql`known.read_at`)},
      'still_allowed', ${readableGraderSecretCondition(
        sql`users.id`,
        sql`(select course_id from course_offerings where course_offerings.id = offering_id)`,
      )}) order by users.id)
    from (
      select user_id, read_at from auto_grader_readers
      where course_offering_id = offering_id and content_item_id = item_id and secret_version = version
        and user_id <> ${actor.id}
      union all
      select ${actor.id}::int, ${now.toISOString()}::timestamptz
    ) as known join users on users.id = known.user_id) as readers
  from grader`;

/**
 * Records the caller as a reader, with one audit entry a request. 404 if the item is hidden, 403 without the
 * right to read the secret.
 */
export async function getAutoGraderSecretWithAudit(
  db: Db,
  actor: Actor,
  path: OfferingItemPath,
  secretKey: string,
  now: Date,
): Promise<AutoGrader> {
  const act = {
    action: "auto_grader.read",
    actor: actor.id,
    university: sql`university_id`,
    details: sql`jsonb_build_object(
      'course_offering_id', offering_id, 'content_item_id', item_id, 'version', version)`,
  } as const;
  // Checks the rights again: they were read earlier, and this write is permanent.
  const [grader] = await rowsOf(
    db,
    Grader,
    sql`
      with permitted as materialized (${permittedItemQuery(actor, "auto-grader:read", path, "work")}
        and ${readableGraderSecretCondition(sql`${actor.id}::int`, sql`courses.id`)}),
      grader as materialized (
        select permitted.*, coalesce(secret_version, 1) as version, renewed_at
        from permitted left join auto_graders on course_offering_id = offering_id and content_item_id = item_id
      ), noted as (
        insert into auto_grader_readers as one
          (course_offering_id, content_item_id, user_id, secret_version, read_at, request_id)
        select offering_id, item_id, ${actor.id}::int, version, ${now.toISOString()}::timestamptz,
               ${requestAuditJson()}::jsonb ->> 'id'
        from grader
        on conflict on constraint auto_grader_readers_person_unique do update
          set secret_version = excluded.secret_version, read_at = excluded.read_at, request_id = excluded.request_id
          where (one.secret_version, one.request_id) is distinct from (excluded.secret_version, excluded.request_id)
        returning one.user_id
      ), audited as (${insertAuditEventsQuery(act, sql`(select grader.* from grader, noted) as read`)})
      ${told(actor, now)}`,
  );
  return grader
    ? { secret: deriveGraderSecret(secretKey, { ...path, version: grader.version }), ...grader }
    : explainItemRefusal(db, actor, path, "work");
}

/** Rejects signatures with the old secret from then on. Errors as for reading. */
export async function renewAutoGraderSecret(
  db: Db,
  actor: Actor,
  path: OfferingItemPath,
  secretKey: string,
  now: Date,
): Promise<AutoGrader> {
  const [grader] = await rowsOf(
    db,
    Grader,
    sql`
      with permitted as materialized (${permittedItemQuery(actor, "auto-grader:renew", path, "work")}),
      grader as materialized (
        select permitted.*, ${now.toISOString()}::timestamptz as renewed_at, renew_auto_grader_secret(
          offering_id, item_id, ${actor.id}, ${now.toISOString()}, ${requestAuditJson()}::jsonb) as version
        from permitted
      )
      ${told(actor, now)}`,
  );
  return grader
    ? { secret: deriveGraderSecret(secretKey, { ...path, version: grader.version }), ...grader }
    : explainItemRefusal(db, actor, path, "work");
}

const Outcome = z.object({
  outcome: z.enum(["graded", "kept", "superseded", "final", "too many points", "renewed", "own"]),
  bound: ItemScoreLimit.nullable(),
});

/**
 * Stores a grade unless a person has graded. Idempotent; ignores results signed earlier than the stored one.
 * 401 unless signed with the current secret within five minutes, even without such a submission. 403 for work
 * of a reader of the secret, 400 once the course grade is final.
 */
export async function storeAutoGrade(
  db: Db,
  call: GraderCall,
  { score, details }: AutoGrade,
  keys: GraderMasterKeys,
  now: Date,
): Promise<AutoGradeResult> {
  const { submissionId, signature } = call;
  const [submission] = await rowsOf(
    db,
    GraderSecretVersionRow,
    sql`
      select ${graderSecretVersionColumnsSql} from lab_submissions where id = ${submissionId}`,
  );
  const signer = ensureGraderCallSigned(submission, call, keys, now);
  const signedAt = new Date(parseGraderSignatureHeader(signature)?.at ?? 0).toISOString();
  const [row] = await retryWhileBusy(() =>
    rowsOf(
      db,
      Outcome,
      sql`
        select outcome, bound from grade_submissions_by_auto_grader_result(${submissionId}, ${score}::numeric, ${JSON.stringify(details)}::jsonb,
          ${signedAt}, ${signer.version}, ${now.toISOString()}, ${requestAuditJson()}::jsonb)`,
    ),
  );
  if (!row) throw notFound("Submission");
  if (row.outcome === "renewed") throw invalidSignatureError();
  if (row.outcome === "own") throw forbidden("own_work_with_secret");
  if (row.outcome === "final") throw badRequest("grade_is_final");
  if (row.outcome === "too many points") throw scoreAboveLimitError(row.bound);
  const outcomes = { graded: "GRADED", kept: "KEPT", superseded: "SUPERSEDED" } as const;
  return { submission_id: submissionId, outcome: outcomes[row.outcome] };
}
