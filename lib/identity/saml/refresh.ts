import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { HttpError } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { loadProviderMetadata } from "./load-provider-metadata.ts";
import type { ProviderMetadata } from "./metadata.ts";

type Parts = Pick<Deps, "config" | "now" | "log"> & { db: Db };

const everyHours = 6;

const Due = z.object({
  identity_provider_id: z.int(),
  issuer: z.string(),
  metadata_url: z.string(),
  metadata_certificate: z.string().nullable(),
});

/**
 * Refreshes metadata not fetched for some hours, one at a time, until `signal` or none is left. On failure
 * records the error and keeps the known metadata.
 */
export async function refreshMetadata(
  parts: Parts,
  signal: AbortSignal,
): Promise<{ metadata_read: number; metadata_failed: number }> {
  const outcome = { metadata_read: 0, metadata_failed: 0 };
  while (!signal.aborted) {
    const due = await takeDue(parts);
    if (!due) break;
    try {
      await keep(parts, due, await loadProviderMetadata(parts, due, 0));
      outcome.metadata_read += 1;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      await keepProblem(parts, due, error.message);
      outcome.metadata_failed += 1;
    }
  }
  return outcome;
}

/** Concurrent processes take different rows. */
async function takeDue({ db, now }: Parts): Promise<z.output<typeof Due> | undefined> {
  const moment = now().toISOString();
  const [due] = await rowsOf(
    db,
    Due,
    sql`update saml_providers as saml set metadata_tried_at = ${moment}
        from identity_providers as one
        where one.id = saml.identity_provider_id and saml.identity_provider_id = (
          select identity_provider_id from saml_providers
          where metadata_url is not null
            and metadata_tried_at <= ${moment}::timestamptz - make_interval(hours => ${everyHours})
          order by metadata_tried_at limit 1 for update skip locked)
        returning saml.identity_provider_id, one.issuer, saml.metadata_url, saml.metadata_certificate`,
  );
  return due;
}

type Taken = z.output<typeof Due>;

/** Unless the URL was changed in between. */
const isSame = ({ identity_provider_id, metadata_url }: Taken) =>
  sql`identity_provider_id = ${identity_provider_id} and metadata_url = ${metadata_url}`;

async function keep({ db, now }: Parts, due: Taken, described: ProviderMetadata): Promise<void> {
  await db.execute(sql`
    update saml_providers set
      sso_url = ${described.sso_url}, certificates = ${sql.param(described.certificates)}::text[],
      scopes = ${sql.param(described.scopes)}::text[], valid_until = ${described.valid_until}::timestamptz,
      metadata_read_at = ${now().toISOString()}, metadata_problem = null
    where ${isSame(due)}`);
}

async function keepProblem({ db, log }: Parts, due: Taken, problem: string): Promise<void> {
  const { identity_provider_id, metadata_url } = due;
  log.warn({ identity_provider_id, metadata_url, problem }, "metadata could not be refreshed");
  await db.execute(sql`
    update saml_providers set metadata_problem = ${problem.slice(0, 500)} where ${isSame(due)}`);
}
