import type { CertificateVerification } from "../../../schema/api/assessment/certificates.ts";

export type Line = { label: string; value: string };

let day: Intl.DateTimeFormat | undefined;

/** Created lazily, so a function starts without loading calendars. */
function dayOf(moment: string): string {
  day ??= new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
  return day.format(new Date(moment));
}

/** Days are in UTC. */
export function datesOf(printed: CertificateVerification): Line[] {
  const dates = [
    ["Completed", printed.completed_at],
    ["Issued", printed.issued_at],
    ["Valid until", printed.expires_at],
    ["Revoked", printed.revoked_at],
  ] as const;
  return dates.flatMap(([label, moment]) => (moment ? [{ label, value: dayOf(moment) }] : []));
}

/** All but `VALID` are also a heading. */
export const meaningOf: Record<CertificateVerification["state"], string> = {
  VALID: "This certificate is valid.",
  EXPIRED: "This certificate has expired.",
  REVOKED: "This certificate was revoked and does not count.",
  REPLACED: "This certificate was replaced by another one.",
};

/** Groups of four, for reading aloud. */
export const groupsOf = (code: string): string => code.replaceAll(/(.{4})(?=.)/g, "$1 ");
