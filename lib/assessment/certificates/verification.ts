import { eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { CertificateVerification } from "../../../schema/api/assessment/certificates.ts";
import { certificates } from "../../../schema/db/assessment/certificates.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { universities } from "../../../schema/db/identity/universities.ts";
import { certificateStates } from "../../../schema/enums.ts";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { certificateStateSql } from "./certificates.ts";

export type VerifiedCertificate = {
  printed: CertificateVerification;
  /** The university's. */
  timeZone: string;
  refersTo: { certificate_id: number; course_id: number; university_id: number };
};

const State = z.enum(
  certificateStates.map((state) => state.toUpperCase()) as [Uppercase<(typeof certificateStates)[number]>],
);

/** 404 if it does not exist or was deleted. */
export async function findCertificateByCode(
  db: ReadDb,
  code: string,
  now: Date,
): Promise<VerifiedCertificate> {
  const [row] = await db
    .select({
      printed: {
        state: typedSql(State)`${certificateStateSql(now)}`,
        printed_name: certificates.printed_name,
        course_title: certificates.course_title,
        university_name: certificates.university_name,
        completed_at: certificates.completed_at,
        issued_at: certificates.issued_at,
        expires_at: certificates.expires_at,
        revoked_at: certificates.revoked_at,
      },
      timeZone: universities.time_zone,
      refersTo: {
        certificate_id: certificates.id,
        course_id: courseOfferings.course_id,
        university_id: courseOfferings.university_id,
      },
    })
    .from(certificates)
    .innerJoin(courseOfferings, eq(courseOfferings.id, certificates.course_offering_id))
    .innerJoin(universities, eq(universities.id, courseOfferings.university_id))
    .where(sql`${certificates.certificate_code} = ${code}`);
  if (!row) throw notFound("Certificate");
  return row;
}
