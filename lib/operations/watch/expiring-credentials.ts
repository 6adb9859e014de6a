import { sql } from "drizzle-orm";
import * as z from "zod";
import { certificateExpiryDate } from "../../identity/saml/certificate-end.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { MetricSample } from "../../platform/metrics/store.ts";

const Ends = z.object({
  api_keys: z.number().nullable(),
  saml_metadata: z.number().nullable(),
  providers: z.array(z.object({ certificates: z.array(z.string()), certificate: z.string() })),
});

/** Seconds until the first credential of each kind expires; a kind without any has no sample. */
export async function readCredentialExpirySamples(db: ReadDb, now: Date): Promise<MetricSample[]> {
  const moment = sql`${now.toISOString()}::timestamptz`;
  const seconds = (end: string) => sql`extract(epoch from min(${sql.raw(end)}) - ${moment})::float8`;
  const [ends] = await rowsOf(
    db,
    Ends,
    sql`
    select
      (select ${seconds("expires_at")} from api_keys where revoked_at is null and expires_at > ${moment}) as api_keys,
      (select ${seconds("valid_until")} from ${ofActiveUniversities}) as saml_metadata,
      (select coalesce(json_agg(json_build_object('certificates', certificates, 'certificate', saml.certificate)), '[]')
       from ${ofActiveUniversities}) as providers`,
  );
  if (!ends) return [];
  const until = (end: number) => (end - now.getTime()) / 1000;
  const first = (all: number[]): number | null => (all.length > 0 ? until(Math.min(...all)) : null);
  // A provider works as long as one of its certificates does.
  const last = ends.providers.map(({ certificates }) => Math.max(...certificates.map(endOf)));
  const own = ends.providers.map(({ certificate }) => endOf(certificate));
  const found = {
    ...{ api_keys: ends.api_keys, saml_metadata: ends.saml_metadata },
    ...{ saml_provider: first(last), saml_own: first(own) },
  };
  return Object.entries(found).flatMap(([of, value]) =>
    value === null ? [] : [{ sample: "credential_expires_seconds", labels: { of }, value }],
  );
}

const ofActiveUniversities = sql`saml_providers as saml
  join identity_providers as provider on provider.id = saml.identity_provider_id
  join universities as university on university.id = provider.university_id and university.is_active`;

const endOf = (certificate: string): number => certificateExpiryDate(certificate).getTime();
