import { sql } from "drizzle-orm";
import {
  CertificateSettings,
  type CertificateSettingsUpdate,
} from "../../../schema/api/assessment/certificates.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../../courses/permitted-offering.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";

/** 404 if the caller cannot see the offering, otherwise 403. */
export async function getCertificateSettings(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
): Promise<CertificateSettings> {
  const [settings] = await rowsOf(
    db,
    CertificateSettings,
    sql`
      select permitted.offering_id as course_offering_id, upper(coalesce(issuance, 'automatic')) as issuance,
             valid_for_days
      from (${permittedOfferingQuery(actor, "certificate:read", offeringId)}) as permitted
      left join certificate_settings on course_offering_id = permitted.offering_id`,
  );
  return settings ?? explainOfferingRefusal(db, actor, offeringId);
}

/** Issued certificates keep their expiry. 404 and 403 like `getCertificateSettings`. */
export async function updateCertificateSettings(
  db: Db,
  actor: Actor,
  offeringId: number,
  change: CertificateSettingsUpdate,
): Promise<CertificateSettings> {
  const { issuance, valid_for_days } = change;
  const [settings] = await rowsOf(
    db,
    CertificateSettings,
    sql`
      insert into certificate_settings as one (course_offering_id, issuance, valid_for_days)
      select offering_id, ${issuance?.toLowerCase() ?? "automatic"}, ${valid_for_days ?? null}::int
      from (${permittedOfferingQuery(actor, "certificate:issue", offeringId)}) as permitted
      on conflict (course_offering_id) do update set
        issuance = ${issuance ? sql`excluded.issuance` : sql`one.issuance`},
        valid_for_days = ${valid_for_days === undefined ? sql`one.valid_for_days` : sql`excluded.valid_for_days`},
        updated_at = now()
      returning course_offering_id, upper(issuance) as issuance, valid_for_days`,
  );
  return settings ?? explainOfferingRefusal(db, actor, offeringId);
}
