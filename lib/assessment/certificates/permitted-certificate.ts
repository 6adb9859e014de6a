import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { certificates } from "../../../schema/db/assessment/certificates.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { offeringPermissionCondition } from "../../courses/course-permissions.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { PolicyAction } from "../../identity/rbac/policy.ts";
import type { Db } from "../../platform/db/client.ts";

type CertificateAction = Extract<PolicyAction, `certificate:${string}`>;

/** The row (certificate_id, university_id), if the caller may do `action`. */
export const permittedCertificateQuery = (
  actor: Actor,
  action: CertificateAction,
  certificateId: number,
): SQL => sql`
  select certificates.id as certificate_id, courses.university_id
  from certificates
  join course_offerings on course_offerings.id = certificates.course_offering_id
  join courses on courses.id = course_offerings.course_id
  where certificates.id = ${certificateId} and ${offeringPermissionCondition(actor, action)}`;

/** 403 for the owner and assistants, who may only read the certificate, otherwise 404. */
export async function explainCertificateRefusal(db: Db, actor: Actor, certificateId: number): Promise<never> {
  const [certificate] = await db
    .select({ id: certificates.id })
    .from(certificates)
    .innerJoin(courseOfferings, eq(courseOfferings.id, certificates.course_offering_id))
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .where(
      and(
        eq(certificates.id, certificateId),
        or(
          and(eq(certificates.user_id, actor.id), tokenReachCondition(actor, courses.university_id)),
          offeringPermissionCondition(actor, "certificate:read"),
        ),
      ),
    );
  throw certificate ? forbidden() : notFound("Certificate");
}
