import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Submission, SubmissionCreate } from "../../schema/api/assessment/submissions.ts";
import { AccessRefusal, accessRefusalError } from "../courses/content/item-access.ts";
import { badRequest, forbidden, nonexistentFileErrorFromRefusal, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { personIdIfOfferingInTokenReachSql } from "../identity/auth/token-reach.ts";
import {
  getOrCreateAccountHashKey,
  storeFormerAccountsReturningPersonSql,
} from "../identity/identities/former-accounts.ts";
import { dateInTimeZone } from "../identity/users/streak.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../platform/db/retry-window.ts";
import { ExistingResult } from "../platform/results/existing.ts";
import type { EncryptionSecrets } from "../platform/secrets/encryption.ts";
import { type OfferingItemPath, resourceNameOfItemKind } from "./graded-items.ts";
import { StoredSubmission, submissionJsonSql, toSubmission } from "./stored-submission.ts";
import { toSubmissionForOwner } from "./submissions.ts";

const HandedIn = z.object({
  refusal: z
    .union([
      z.enum([
        ...AccessRefusal.options,
        "not enrolled",
        "final",
        "closed",
        "no attempt left",
        "no group",
        "which group",
      ]),
      z.templateLiteral(["no file ", z.int()]),
    ])
    .nullable(),
  is_new: z.boolean(),
  submission: StoredSubmission.nullable(),
});

const refusals = {
  hidden: () => notFound(resourceNameOfItemKind("work")),
  "enrollment required": () => accessRefusalError("enrollment required"),
  "not available yet": () => accessRefusalError("not available yet"),
  "not enrolled": () => forbidden("not_enrolled"),
  final: () => badRequest("grade_is_final"),
  closed: () => badRequest("too_late"),
  "no attempt left": () => badRequest("no_attempt_left"),
  "no group": () => badRequest("group_not_yours"),
  "which group": () => badRequest("which_group"),
};

/**
 * Submits the caller's next attempt at a lab or an assignment; group work counts for all current members.
 * Idempotent until graded. 404 if they cannot see it, 403 while it is locked or without a seat. 400 once it
 * is closed, without attempts left, after the final grade, or for files of others.
 */
export async function submitWork(
  db: Db,
  actor: Actor,
  { offering_id, content_item_id }: OfferingItemPath,
  {
    body = null,
    links,
    data_json = null,
    artifacts_url = null,
    file_ids = [],
    group_id = null,
  }: SubmissionCreate,
  now: Date,
  secrets: EncryptionSecrets,
): Promise<Submission | ExistingResult<Submission>> {
  const person = storeFormerAccountsReturningPersonSql(
    personIdIfOfferingInTokenReachSql(actor, offering_id),
    await getOrCreateAccountHashKey(db, secrets),
  );
  const work = JSON.stringify({ body, links, data_json, artifacts_url, file_ids, group_id });
  const [row] = await retryWhileUnavailable(() =>
    rowsOf(
      db,
      HandedIn,
      sql`
        select refusal, is_new, ${submissionJsonSql(sql`submission`, actor.id)} as submission from submit_work(
          ${person}, ${offering_id}, ${content_item_id}, ${work}::jsonb, ${now.toISOString()},
          ${dateInTimeZone(actor.profile.time_zone, now)})`,
    ),
  );
  if (row?.refusal)
    throw nonexistentFileErrorFromRefusal(row.refusal) ?? refusals[row.refusal as keyof typeof refusals]();
  if (!row?.submission) throw new Error("submit_work returned no submission");
  const submission = toSubmissionForOwner(toSubmission(row.submission), false);
  return row.is_new ? submission : new ExistingResult(submission);
}
