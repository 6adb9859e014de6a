import { eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { AutoGrade, AutoGradeResult, AutoGrader } from "../../schema/api/submissions.ts";
import { labSubmissions } from "../../schema/db/lab-submissions.ts";
import type { Actor } from "../auth/actor.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { badRequest, notFound, unauthorized } from "../errors.ts";
import { requestFacts } from "../request-record.ts";
import { graderSecret, isSigned, readSignature } from "./grader-signature.ts";
import { type ItemPath, reachedItem, refuseItem } from "./items.ts";
import { ScoreBound, tooManyPoints } from "./score-bound.ts";

/** The secret of an item's grader. 404 when the caller cannot see the item, 403 when they may not read the secret. */
export async function getAutoGrader(
  db: Db,
  actor: Actor,
  path: ItemPath,
  secretKey: string,
): Promise<AutoGrader> {
  const { rows } = await db.execute(reachedItem(actor, "auto-grader:read", path, "work"));
  if (rows.length === 0) return refuseItem(db, actor, path, "work");
  return { secret: graderSecret(secretKey, path) };
}

/** What came from a grader: its body as it was sent, and the header that signs it. */
export type GraderCall = { submissionId: number; signature: string | undefined; body: string };

/** The key that secrets are made with, and while it is rotated the one before it. */
type Keys = Pick<Config, "SECRET_KEY" | "SECRET_KEY_PREVIOUS">;

const Outcome = z.object({
  outcome: z.enum(["graded", "kept", "superseded", "final", "too many points"]),
  bound: ScoreBound.nullable(),
});

/**
 * Takes a grade of an item's own grader, unless a person has graded. Said again it changes nothing, and a word that was
 * signed before another that came is not taken. 401 for whatever is not signed with the item's secret within the last five
 * minutes, also about a submission that there is not; 400 once the grade of the course is final.
 */
export async function takeAutoGrade(
  db: Db,
  { submissionId, signature, body }: GraderCall,
  { score, details }: AutoGrade,
  { SECRET_KEY, SECRET_KEY_PREVIOUS }: Keys,
  now: Date,
): Promise<AutoGradeResult> {
  const [submission] = await db
    .select({
      offering_id: labSubmissions.course_offering_id,
      content_item_id: labSubmissions.content_item_id,
    })
    .from(labSubmissions)
    .where(eq(labSubmissions.id, submissionId));
  const item = submission ?? { offering_id: 0, content_item_id: 0 };
  const secrets = [SECRET_KEY, SECRET_KEY_PREVIOUS ?? SECRET_KEY].map((key) => graderSecret(key, item));
  if (!secrets.some((secret) => isSigned(signature, secret, { submissionId, body, now })) || !submission)
    throw unauthorized("Could not validate signature");
  const signedAt = new Date(readSignature(signature)?.at ?? 0).toISOString();
  const [row] = await rowsOf(
    db,
    Outcome,
    sql`
      select outcome, bound from auto_grade_submission(${submissionId}, ${score}::numeric, ${JSON.stringify(details)}::jsonb,
        ${signedAt}, ${now.toISOString()}, ${requestFacts()}::jsonb)`,
  );
  if (!row) throw notFound("Submission");
  if (row.outcome === "final") throw badRequest("The grade of this course is final");
  if (row.outcome === "too many points") throw tooManyPoints(row.bound);
  const outcomes = { graded: "GRADED", kept: "KEPT", superseded: "SUPERSEDED" } as const;
  return { submission_id: submissionId, outcome: outcomes[row.outcome] };
}
