import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  Certificate,
  type CertificateIssue,
  type CertificateReissue,
  type CertificateRevocation,
} from "../../../schema/api/assessment/certificates.ts";
import type { NamedPerson } from "../../../schema/api/identity/named-person.ts";
import type { AuditAction } from "../../../schema/enums.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../../courses/permitted-offering.ts";
import { badRequest, httpErrorFromCode } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { namedMemberQuery } from "../../identity/identities/member-named.ts";
import type { Db } from "../../platform/db/client.ts";
import { wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { ExistingResult } from "../../platform/results/existing.ts";
import { certificateColumns } from "./certificates.ts";
import { explainCertificateRefusal, permittedCertificateQuery } from "./permitted-certificate.ts";

const refusals = {
  "not completed": "not_completed",
  expired: "certificate_expired",
  revoked: "certificate_revoked",
  replaced: "certificate_replaced",
} as const;

const Row = z.object({
  refusal: z.enum(Object.keys(refusals) as [keyof typeof refusals]).nullable(),
  is_new: z.boolean(),
  certificate: Certificate.nullable(),
});

/**
 * Returns an existing certificate as `Existing`. 400 unless the user completed the offering, or if it would
 * have expired already. 404 and 403 like `explainOfferingRefusal`; 404 also for an unknown address or
 * external id. Users cannot issue to themselves.
 */
export async function issueCertificate(
  db: Db,
  actor: Actor,
  offeringId: number,
  { user_id, email, external_id, ...given }: CertificateIssue,
  now: Date,
): Promise<Certificate | ExistingResult<Certificate>> {
  const offering = permittedOfferingQuery(actor, "certificate:issue", offeringId);
  const person = { user_id, email, external_id };
  const outcome = await change(db, actor, now, {
    action: "certificate.issued",
    permitted: sql`
      select offering.*, named.user_id from (${offering}) as offering
      cross join lateral (${recipient(person)}) as named where named.user_id <> ${actor.id}`,
    call: sql`issue_certificate_by_staff(
      permitted.user_id, permitted.offering_id, ${now.toISOString()}, ${JSON.stringify(given)}::jsonb)`,
  });
  if (!outcome) return explainIssueRefusal(db, actor, offeringId, person);
  return outcome.is_new ? outcome.certificate : new ExistingResult(outcome.certificate);
}

/**
 * The user named in a body, as a query of `user_id` in the university of a row `offering`. An unknown
 * `user_id` passes: that user completed nothing.
 */
const recipient = ({ user_id, ...named }: NamedPerson): SQL =>
  user_id === undefined
    ? namedMemberQuery(sql`offering.university_id`, named)
    : sql`select ${user_id}::int as user_id`;

async function explainIssueRefusal(
  db: Db,
  actor: Actor,
  offeringId: number,
  named: NamedPerson,
): Promise<never> {
  const offering = permittedOfferingQuery(actor, "certificate:issue", offeringId);
  const { rows } = await db.execute(sql`
    select exists (${recipient(named)}) as is_there from (${offering}) as offering`);
  if (rows[0]?.["is_there"] !== false) return explainOfferingRefusal(db, actor, offeringId);
  throw httpErrorFromCode(404, named.email === undefined ? "nobody_with_external_id" : "nobody_with_email");
}

/** Idempotent. 400 for a replaced certificate; 404 and 403 like `explainCertificateRefusal`. */
export async function revokeCertificate(
  db: Db,
  actor: Actor,
  certificateId: number,
  { reason }: CertificateRevocation,
  now: Date,
): Promise<Certificate> {
  const outcome = await change(db, actor, now, {
    action: "certificate.revoked",
    permitted: permittedCertificateQuery(actor, "certificate:issue", certificateId),
    call: sql`revoke_certificate(permitted.certificate_id, ${reason}, ${now.toISOString()})`,
  });
  return outcome?.certificate ?? explainCertificateRefusal(db, actor, certificateId);
}

/**
 * Replaces a certificate by one with a new code; the old code then shows it. 400 if a concurrent request
 * replaced it, or if it would have expired. 404 and 403 like `explainCertificateRefusal`; 403 also for the
 * caller's own.
 */
export async function reissueCertificate(
  db: Db,
  actor: Actor,
  certificateId: number,
  given: CertificateReissue,
  now: Date,
): Promise<Certificate> {
  const outcome = await change(db, actor, now, {
    action: "certificate.reissued",
    permitted: sql`${permittedCertificateQuery(actor, "certificate:issue", certificateId)}
      and certificates.user_id is distinct from ${actor.id}`,
    call: sql`reissue_certificate(
      permitted.certificate_id, ${now.toISOString()}, ${JSON.stringify(given)}::jsonb)`,
  });
  return outcome?.certificate ?? explainCertificateRefusal(db, actor, certificateId);
}

type Change = { action: AuditAction; permitted: SQL; call: SQL };

/** Calls a database function with permission and audits in one statement. */
async function change(db: Db, actor: Actor, now: Date, { action, permitted, call }: Change) {
  const act = {
    action,
    actor: actor.id,
    subject: sql`user_id`,
    university: sql`university_id`,
    details: sql`jsonb_build_object('certificate_id', id, 'course_offering_id', course_offering_id)`,
  };
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      with permitted as materialized (${permitted}),
      done as materialized (select permitted.university_id, one.* from permitted cross join lateral ${call} as one),
      audited as (${insertAuditEventsQuery(act, sql`(select university_id, (certificate).* from done where is_new) as noted`)})
      select done.refusal, done.is_new, (
        select row_to_json(item) from (
          select ${wireColumnsSql(certificateColumns(now))}
          from (select (done.certificate).*) as certificates
          join course_offerings on course_offerings.id = certificates.course_offering_id
        ) as item) as certificate
      from done`,
  );
  if (row?.refusal) throw badRequest(refusals[row.refusal]);
  return row?.certificate ? { is_new: row.is_new, certificate: row.certificate } : undefined;
}
