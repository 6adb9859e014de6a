import { createHmac, timingSafeEqual } from "node:crypto";

/** How far a grader's clock may be from ours, in milliseconds; what was signed earlier is too old. */
const signatureTolerance = 5 * 60 * 1000;

/** Whose secret it is, and which: it counts from 1, and is another one each time that it is renewed. */
export type GraderOf = { offering_id: number; content_item_id: number; version: number };

/**
 * The key that the grader of an item in an offering signs with. It is stored nowhere, and another for each item,
 * offering and version.
 */
export const graderSecret = (
  secretKey: string,
  { offering_id, content_item_id, version }: GraderOf,
): string => {
  const first = `grader of item ${content_item_id} in offering ${offering_id}`;
  return createHmac("sha256", secretKey)
    .update(version === 1 ? first : `${first}, version ${version}`)
    .digest("base64url");
};

/** What a grader signed: when, in milliseconds since 1970, which submission it is about, and the bytes of its body. */
export type Signed = { at: number; submissionId: number; body: string };

/** The signature of that, as hexadecimal digits: HMAC-SHA256 of `at.submissionId.body`. */
export const signatureOf = (secret: string, { at, submissionId, body }: Signed): string =>
  createHmac("sha256", secret).update(`${at}.${submissionId}.${body}`).digest("hex");

/** Reads `t=1767225600000,v1=<64 hexadecimal digits>`; undefined for anything else. */
export function readSignature(header: string | undefined): { at: number; digest: string } | undefined {
  const [, at, digest] = /^t=(\d{13}),v1=([0-9a-f]{64})$/.exec(header ?? "") ?? [];
  return at && digest ? { at: Number(at), digest } : undefined;
}

/** Whether a header signs this body about this submission with this secret, not long ago. Takes the same time for any. */
export function isSigned(
  header: string | undefined,
  secret: string,
  { submissionId, body, now }: { submissionId: number; body: string; now: Date },
): boolean {
  const given = readSignature(header);
  if (!given || Math.abs(now.getTime() - given.at) > signatureTolerance) return false;
  const expected = signatureOf(secret, { at: given.at, submissionId, body });
  return timingSafeEqual(Buffer.from(given.digest), Buffer.from(expected));
}
