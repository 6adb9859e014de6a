import type { CertificateVerification } from "../../../schema/api/assessment/certificates.ts";
import { formatLongDay } from "../../platform/text/local-time.ts";

export type LabeledText = { label: string; value: string };

/** Days in the university's time zone. */
export function certificateDateLines(printed: CertificateVerification, timeZone: string): LabeledText[] {
  const dates = [
    ["Completed", printed.completed_at],
    ["Issued", printed.issued_at],
    ["Valid until", printed.expires_at],
    ["Revoked", printed.revoked_at],
  ] as const;
  return dates.flatMap(([label, moment]) =>
    moment ? [{ label, value: formatLongDay(moment, timeZone, "en-GB") }] : [],
  );
}

/** All but `VALID` are also a heading. */
export const certificateStateTexts: Record<CertificateVerification["state"], string> = {
  VALID: "This certificate is valid.",
  EXPIRED: "This certificate has expired.",
  REVOKED: "This certificate was revoked and does not count.",
  REPLACED: "This certificate was replaced by another one.",
};

/** Groups of four, for reading aloud. */
export const formatCodeInFours = (code: string): string => code.replaceAll(/(.{4})(?=.)/g, "$1 ");
