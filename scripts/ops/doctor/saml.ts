import { sql } from "drizzle-orm";
import * as z from "zod";
import { certificateExpiryDate } from "../../../lib/identity/saml/certificate-end.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { advice, type Finding, ok } from "./finding.ts";

const Provider = z.object({
  university: z.string(),
  label: z.string(),
  certificates: z.array(z.string()),
  certificate: z.string(),
  valid_until: z.string().nullable(),
  metadata_problem: z.string().nullable(),
  is_old: z.boolean(),
});

/** Warn before a certificate expires, and about metadata older than that. */
const soonDays = 30;
const oldDays = 7;

/** Checks SAML identity providers: their certificates, and the age of their metadata. */
export async function checkSamlProviders(db: Db, now: Date): Promise<Finding> {
  const providers = await rowsOf(
    db,
    Provider,
    sql`select university.name as university, one.label, saml.certificates, saml.certificate,
               to_char(saml.valid_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as valid_until,
               saml.metadata_problem,
               saml.metadata_url is not null and saml.metadata_read_at
                 < ${now.toISOString()}::timestamptz - make_interval(days => ${oldDays}) as is_old
        from saml_providers as saml join identity_providers as one on one.id = saml.identity_provider_id
        join universities as university on university.id = one.university_id
        where university.is_active order by one.id`,
  );
  if (providers.length === 0) return ok("no identity provider uses SAML");
  const problems = providers.flatMap((one) =>
    problemsOf(one, now).map((problem) => `${one.university}: ${one.label}, ${problem}`),
  );
  if (problems.length === 0)
    return ok("the certificates and metadata of all SAML identity providers are valid for a month or longer");
  return advice(
    `SAML identity providers that will soon stop working:\n      ${problems.join("\n      ")}`,
    "ask their operators for metadata with the next certificate before the old one is removed",
  );
}

function problemsOf(provider: z.output<typeof Provider>, now: Date): string[] {
  const soon = now.getTime() + soonDays * 86_400_000;
  const ends = provider.certificates.map(certificateExpiryDate);
  const isEnding = ends.every((end) => end.getTime() < soon);
  const last = ends.toSorted((a, b) => b.getTime() - a.getTime())[0];
  const until = provider.valid_until;
  return [
    isEnding && last ? [`its last certificate expires on ${dayOf(last)}`] : [],
    certificateExpiryDate(provider.certificate).getTime() < soon
      ? ["this service's certificate for it expires"]
      : [],
    until && Date.parse(until) < soon ? [`its metadata is valid until ${dayOf(new Date(until))}`] : [],
    provider.is_old ? [`its metadata was not refreshed for ${oldDays} days`] : [],
    provider.metadata_problem ? [`its metadata: ${provider.metadata_problem}`] : [],
  ].flat();
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
