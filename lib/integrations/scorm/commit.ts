import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { ScormCommit, ScormCommitCreate } from "../../../schema/api/integrations/scorm.ts";
import { type StoredScoState, scormAttempts } from "../../../schema/db/integrations/scorm.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import type { Deps } from "../../deps.ts";
import { badRequest, conflict, forbidden, invalidField } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { unsealToken } from "../../identity/auth/sealing.ts";
import { offeringInTokenReachCondition } from "../../identity/auth/token-reach.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { readScoReport } from "./report.ts";
import { scormResult } from "./result.ts";
import { type ScormSession, scormSessionPurpose } from "./session.ts";

type Parts = Pick<Deps, "db" | "config" | "now">;

/** Of suspend data, in the fourth edition of 2004; 1.2 has less. */
const mostSuspendData = 64_000;

const maxBytes = 4 * 1024 * 1024;

const Committed = z.object({
  id: z.number(),
  sequence: z.int(),
  completed_at: StoredInstant.nullable(),
  passed: z.boolean().nullable(),
  score_scaled: z.number().nullable(),
  total_seconds: z.int(),
});

/**
 * Stores a SCO's runtime data and the attempt's result, in one statement. 409 once a later launch owns the
 * attempt. A repeated or late commit of the session changes nothing.
 */
export async function commitScorm(
  parts: Parts,
  actor: Actor,
  { session: sealed, sequence, cmi, seconds, sequencing: given }: ScormCommitCreate,
): Promise<ScormCommit> {
  const { db, now } = parts;
  const session = await unsealToken<ScormSession>(parts, scormSessionPurpose, sealed);
  if (session?.user_id !== actor.id) throw badRequest("scorm_session_over");
  const report = readScoReport(session.version, cmi, session.thresholds);
  const { completed, passed, scaled } = report;
  const sequencing = session.is_sequenced ? given : undefined;
  const result = scormResult(
    session.rules,
    sequencing ? [sequencing] : [...session.others, { completed, passed, scaled }],
  );
  const state: StoredScoState = {
    cmi: storedCmi(cmi),
    seconds: session.seconds,
    // The runtime reports zero for a SCO that measures no time.
    session_seconds: Math.round(report.session_seconds || seconds),
    ...{ completed, passed, scaled },
  };
  const written = JSON.stringify(state);
  if (session.other_bytes + written.length > maxBytes) throw badRequest("scorm_data_too_large");
  const at = now().toISOString();
  const next = sequencing && JSON.stringify({ next: sequencing.next, state: sequencing.state });
  const score = result.score === null ? sql`one.score_scaled` : sql`${result.score}::numeric`;
  const [row] = await rowsOf(
    db,
    Committed,
    sql`
      with former as materialized (
        select one.id, lock_offering_grades_shared(one.course_offering_id),
               lock_final_grade_and_read_item_score(one.course_offering_id, one.user_id, one.content_item_id) as score
        from scorm_attempts as one
        join enrollments on enrollments.user_id = one.user_id
          and enrollments.course_offering_id = one.course_offering_id and enrollments.is_admitted
        where one.id = ${session.attempt_id} and one.user_id = ${actor.id} and one.session_id = ${session.session_id}
          and ${offeringInTokenReachCondition(actor, sql`one.course_offering_id`) ?? sql`true`}
      ), saved as (
        update scorm_attempts as one
        set scos = one.scos || jsonb_build_object(${session.sco}::text, ${written}::jsonb),
            sequencing = coalesce(${next ?? null}::jsonb, one.sequencing),
            sequence = ${sequence}, committed_at = ${at}, passed = ${result.passed}::boolean, score_scaled = ${score},
            completed_at = coalesce(one.completed_at, case when ${result.is_complete}::boolean then ${at}::timestamptz end),
            total_seconds = ${session.other_seconds + state.seconds + state.session_seconds}::int,
            grade_version = one.grade_version + (${score} is distinct from one.score_scaled)::int
        from former
        where one.id = former.id and one.session_id = ${session.session_id} and one.sequence < ${sequence}
        returning one.*, former.score as former_score
      )
      select id::float8 as id, sequence, completed_at, passed, score_scaled::float8 as score_scaled, total_seconds
      from (
        select saved.*, mark_final_grade_outdated_and_notify(course_offering_id, user_id, content_item_id, former_score)
        from saved offset 0
      ) as saved`,
  );
  return toCommit(row ?? (await formerCommit(parts, actor, session)));
}

/** A retried commit that was stored already; otherwise the reason of the refusal. */
async function formerCommit(
  { db }: Parts,
  actor: Actor,
  { attempt_id, session_id }: ScormSession,
): Promise<z.output<typeof Committed>> {
  const { id, sequence, completed_at, passed, score_scaled, total_seconds } = scormAttempts;
  const [kept] = await db
    .select({
      ...{ id, sequence, completed_at, passed, score_scaled, total_seconds },
      session_id: scormAttempts.session_id,
      is_enrolled: sql<boolean>`exists (
        select from enrollments where enrollments.user_id = scorm_attempts.user_id and is_admitted
          and enrollments.course_offering_id = scorm_attempts.course_offering_id)`,
    })
    .from(scormAttempts)
    .where(
      and(
        eq(scormAttempts.id, attempt_id),
        eq(scormAttempts.user_id, actor.id),
        offeringInTokenReachCondition(actor, scormAttempts.course_offering_id),
      ),
    );
  if (!kept) throw badRequest("scorm_session_over");
  if (!kept.is_enrolled) throw forbidden("not_enrolled");
  if (kept.session_id !== session_id) throw conflict("scorm_continued_elsewhere");
  const { session_id: _, is_enrolled: __, ...committed } = kept;
  return committed;
}

const toCommit = ({ id, completed_at, ...rest }: z.output<typeof Committed>): ScormCommit => ({
  attempt_id: id,
  ...rest,
  completed_at: completed_at && toInstant(completed_at),
});

/** Without what the service itself provides. 422 for too much suspend data. */
function storedCmi(cmi: Record<string, unknown>): Record<string, unknown> {
  const { suspend_data, learner_id: _, learner_name: __, core, ...rest } = cmi;
  if (typeof suspend_data === "string" && suspend_data.length > mostSuspendData)
    throw invalidField(
      ["cmi", "suspend_data"],
      `String should have at most ${mostSuspendData} characters`,
      "string_too_long",
      { max_length: mostSuspendData },
    );
  const kept = { ...rest, ...(suspend_data !== undefined && { suspend_data }) };
  if (typeof core !== "object" || core === null) return kept;
  const { student_id: ___, student_name: ____, ...about } = core as Record<string, unknown>;
  return { ...kept, core: about };
}
