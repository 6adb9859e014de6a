import type { CertificateVerification } from "../../schema/api/certificates.ts";

/** A line of a certificate: what it says, and of what. */
export type Line = { label: string; value: string };

let day: Intl.DateTimeFormat | undefined;

/** Made by the first date, so that the function starts without the calendars of all languages. */
function dayOf(moment: string): string {
  day ??= new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
  return day.format(new Date(moment));
}

/** The dates that stand on a certificate, in their order; days are those of UTC. */
export function datesOf(printed: CertificateVerification): Line[] {
  const dates = [
    ["Completed", printed.completed_at],
    ["Issued", printed.issued_at],
    ["Valid until", printed.expires_at],
    ["Revoked", printed.revoked_at],
  ] as const;
  return dates.flatMap(([label, moment]) => (moment ? [{ label, value: dayOf(moment) }] : []));
}

/** What stands over a certificate that does not hold, and what it means; `VALID` has only a meaning. */
export const meaningOf: Record<CertificateVerification["state"], string> = {
  VALID: "This certificate is valid.",
  EXPIRED: "This certificate has expired.",
  REVOKED: "This certificate was revoked and does not count.",
  REPLACED: "This certificate was replaced by another one.",
};

/** A code in groups of four, as it is read aloud. */
export const groupsOf = (code: string): string => code.replaceAll(/(.{4})(?=.)/g, "$1 ");
