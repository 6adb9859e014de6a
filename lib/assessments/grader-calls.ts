import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../config.ts";
import { unauthorized } from "../errors.ts";
import { graderSecret, isSigned } from "./grader-signature.ts";

/** What came from a grader: its body as it was sent, and the header that signs it. */
export type GraderCall = { submissionId: number; signature: string | undefined; body: string };

/** The key that secrets are made with, and while it is rotated the one before it. */
export type GraderKeys = Pick<Config, "SECRET_KEY" | "SECRET_KEY_PREVIOUS">;

/** Who signs for a submission: the present grader of its item. */
export const Signer = z.object({ offering_id: z.int(), content_item_id: z.int(), version: z.int() });

/** The columns of a `Signer`, of a row of `lab_submissions`. */
export const signerColumns = sql`
  course_offering_id as offering_id, content_item_id, grader_version(course_offering_id, content_item_id) as version`;

export const badSignature = () => unauthorized("signature_invalid");

/** The submission of a call that its grader has signed; a 401 for any other, also where there is no submission. */
export function ensureSigned<T extends z.output<typeof Signer>>(
  submission: T | undefined,
  { signature, submissionId, body }: GraderCall,
  { SECRET_KEY, SECRET_KEY_PREVIOUS }: GraderKeys,
  now: Date,
): T {
  const signer = submission ?? { offering_id: 0, content_item_id: 0, version: 1 };
  const secrets = [SECRET_KEY, SECRET_KEY_PREVIOUS ?? SECRET_KEY].map((key) => graderSecret(key, signer));
  if (!secrets.some((secret) => isSigned(signature, secret, { submissionId, body, now })) || !submission)
    throw badSignature();
  return submission;
}
