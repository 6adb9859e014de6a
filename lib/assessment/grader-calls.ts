import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../config.ts";
import { unauthorized } from "../errors.ts";
import { deriveGraderSecret, isGraderCallSignatureValid } from "./grader-signature.ts";

export type GraderCall = { submissionId: number; signature: string | undefined; body: string };

/** The previous key applies during a rotation. */
export type GraderMasterKeys = Pick<Config, "SECRET_KEY" | "SECRET_KEY_PREVIOUS">;

export const GraderSecretVersionRow = z.object({
  offering_id: z.int(),
  content_item_id: z.int(),
  version: z.int(),
});

export const graderSecretVersionColumnsSql = sql`
  lab_submissions.course_offering_id as offering_id, lab_submissions.content_item_id, coalesce((
    select secret_version from auto_graders as grader
    where grader.course_offering_id = lab_submissions.course_offering_id
      and grader.content_item_id = lab_submissions.content_item_id), 1) as version`;

export const invalidSignatureError = () => unauthorized("signature_invalid");

/** 401 otherwise, even if there is no submission. */
export function ensureGraderCallSigned<T extends z.output<typeof GraderSecretVersionRow>>(
  submission: T | undefined,
  { signature, submissionId, body }: GraderCall,
  { SECRET_KEY, SECRET_KEY_PREVIOUS }: GraderMasterKeys,
  now: Date,
): T {
  const signer = submission ?? { offering_id: 0, content_item_id: 0, version: 1 };
  const secrets = [SECRET_KEY, SECRET_KEY_PREVIOUS ?? SECRET_KEY].map((key) =>
    deriveGraderSecret(key, signer),
  );
  if (
    !secrets.some((secret) => isGraderCallSignatureValid(signature, secret, { submissionId, body, now })) ||
    !submission
  )
    throw invalidSignatureError();
  return submission;
}
