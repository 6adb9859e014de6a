import { createHmac } from "node:crypto";
import { isSameInConstantTime } from "../platform/secrets/constant-time.ts";

/** Between a grader's clock and ours, in milliseconds; older signatures are rejected. */
const signatureTolerance = 5 * 60 * 1000;

/** Versions count from 1 and increase with each renewal. */
export type GraderSecretVersion = { offering_id: number; content_item_id: number; version: number };

/** Derived, never stored, and different by item, offering and version. */
export const deriveGraderSecret = (
  secretKey: string,
  { offering_id, content_item_id, version }: GraderSecretVersion,
): string => {
  const first = `grader of item ${content_item_id} in offering ${offering_id}`;
  return createHmac("sha256", secretKey)
    .update(version === 1 ? first : `${first}, version ${version}`)
    .digest("base64url");
};

/** The signed content: time in milliseconds since 1970, submission and body. */
export type GraderCallToSign = { at: number; submissionId: number; body: string };

/** HMAC-SHA256 of `at.submissionId.body`, in hexadecimal. */
export const signGraderCall = (secret: string, { at, submissionId, body }: GraderCallToSign): string =>
  createHmac("sha256", secret).update(`${at}.${submissionId}.${body}`).digest("hex");

export function parseGraderSignatureHeader(
  header: string | undefined,
): { at: number; digest: string } | undefined {
  const [, at, digest] = /^t=(\d{13}),v1=([0-9a-f]{64})$/.exec(header ?? "") ?? [];
  return at && digest ? { at: Number(at), digest } : undefined;
}

/** Requires a recent signature of this body and submission. Constant time. */
export function isGraderCallSignatureValid(
  header: string | undefined,
  secret: string,
  { submissionId, body, now }: { submissionId: number; body: string; now: Date },
): boolean {
  const given = parseGraderSignatureHeader(header);
  if (!given || Math.abs(now.getTime() - given.at) > signatureTolerance) return false;
  const expected = signGraderCall(secret, { at: given.at, submissionId, body });
  return isSameInConstantTime(given.digest, expected);
}
