/* All pages are read first: an interrupted reading changes nothing. */
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { oneRosterSyncModes } from "../../../schema/enums.ts";
import type { Deps } from "../../deps.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ImportRow } from "../imports/import-row.ts";
import { insertImportQuery, insertImportRowsQuery } from "../imports/insert-import.ts";
import { ServiceFailure } from "../lti/service-failure.ts";
import { nextNightlySyncAtSql } from "../lti/sync-rosters.ts";
import { countRemovals } from "./count-removals.ts";
import { readSourceRows } from "./read-source.ts";
import { SourceClient } from "./source-client.ts";
import { decryptSourceSecret } from "./source-secret.ts";

/** Sources that one process reads concurrently: each holds its rows in memory. */
const lanes = 3;
/** Reading 100 000 enrollments takes minutes. */
const leaseSeconds = 3600;
/** Before another process may lease it. */
const maxReadingMinutes = 50;
/** Immediate tries of an unreadable source; after that the next night. */
const maxTries = 5;
const maxRemovedShare = 1 / 3;
/** Some 1 MB of JSON. */
const maxRowsPerStatement = 5000;
/** Clocks differ, and a change becomes visible after its timestamp. Unchanged rows change nothing. */
const overlapMs = 3_600_000;

type Parts = Pick<Deps, "now" | "config" | "log"> & { db: Db };

const Leased = z.object({
  id: z.int(),
  university_id: z.int(),
  created_by_user_id: z.int().nullable(),
  mode: z.enum(oneRosterSyncModes),
  tries: z.int(),
  service_url: z.string(),
  token_url: z.string(),
  client_id: z.string(),
  secret_ciphertext: z.string(),
  synced_at: z.string().nullable(),
});
type Leased = z.output<typeof Leased>;

/**
 * A slow source occupies its lane only. Each page that arrives, and each end, leases sources that became due. Rejects at
 * the end with all errors.
 */
export async function syncDueOneRosterSources(
  parts: Parts,
  signal?: AbortSignal,
): Promise<{ sources: number }> {
  const running = new Set<Promise<unknown>>();
  const errors: unknown[] = [];
  const note = (error: unknown) => errors.push(error);
  let sources = 0;
  const lease = async () => {
    while (!signal?.aborted && running.size < lanes) {
      const [leased] = await rowsOf(parts.db, Leased, leaseSourceQuery(parts.now().toISOString()));
      if (!leased) break;
      sources += 1;
      const work: Promise<unknown> = syncSource(parts, leased, signal, fillLanes)
        .catch(note)
        .finally(() => running.delete(work));
      running.add(work);
    }
  };
  let leasing: Promise<unknown> | undefined;
  const fillLanes = () => {
    leasing ??= lease()
      .catch(note)
      .finally(() => {
        leasing = undefined;
      });
    return leasing;
  };
  await fillLanes();
  while (running.size > 0) {
    await Promise.race(running);
    await fillLanes();
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join("; "));
  return { sources };
}

/** Sources of an inactive university wait until it is active. */
const leaseSourceQuery = (moment: string): SQL => sql`
  with next as (
    select one.id from one_roster_sources as one
    where greatest(one.due_at, coalesce(one.lease_until, one.due_at)) <= ${moment}::timestamptz
      and (select is_active from universities where id = one.university_id)
    order by greatest(one.due_at, coalesce(one.lease_until, one.due_at)) limit 1 for update of one skip locked
  )
  update one_roster_sources as one
  set lease_until = ${moment}::timestamptz + make_interval(secs => ${leaseSeconds}), tries = one.tries + 1
  from next where one.id = next.id
  returning one.id, one.university_id, one.created_by_user_id, one.mode, one.tries, one.service_url, one.token_url,
            one.client_id, one.secret_ciphertext,
            to_char(one.synced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as synced_at`;

type End = {
  state: "imported" | "previewed" | "unconfirmed" | "failed";
  failure?: string;
  removals?: number;
  importId?: number | undefined;
};

async function syncSource(
  parts: Parts,
  leased: Leased,
  signal: AbortSignal | undefined,
  onPage: () => void,
): Promise<void> {
  const began = parts.now();
  try {
    const rows = await readRows(parts, leased, signal, onPage);
    await parts.db.transaction(async (tx) => {
      const { removals, share } = await countRemovals(tx, leased.university_id, rows);
      const isUnconfirmed =
        share > maxRemovedShare && leased.mode !== "confirmed" && leased.mode !== "preview";
      const importId = isUnconfirmed ? undefined : await insertRows(tx, leased, rows, began);
      const done = leased.mode === "preview" ? "previewed" : "imported";
      await storeResult(
        tx,
        leased,
        { state: isUnconfirmed ? "unconfirmed" : done, removals, importId },
        began,
      );
    });
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    parts.log.warn({ one_roster_source: leased.id, why: error.message }, "a OneRoster source was not read");
    const failure = error.message.slice(0, 255);
    await storeResult(parts.db, leased, { state: "failed", failure }, parts.now(), error.retryAfter);
  }
}

async function readRows(
  parts: Parts,
  leased: Leased,
  signal: AbortSignal | undefined,
  onPage: () => void,
): Promise<ImportRow[]> {
  if (leased.created_by_user_id === null)
    throw new ServiceFailure("the person who added it has no account any more", "refused");
  const client_secret = decryptSourceSecret(leased, parts.config);
  const limit = AbortSignal.timeout(maxReadingMinutes * 60_000);
  const either = signal ? AbortSignal.any([signal, limit]) : limit;
  const client = new SourceClient(parts, { ...leased, client_secret }, either, onPage);
  const isWhole = leased.mode === "full" || leased.mode === "confirmed" || leased.synced_at === null;
  const since = isWhole ? undefined : new Date(Date.parse(leased.synced_at ?? "") - overlapMs);
  return readSourceRows(client, since).catch((cause: unknown) => {
    if (!limit.aborted) throw cause;
    throw new ServiceFailure(`reading it took more than ${maxReadingMinutes} minutes`, "later", { cause });
  });
}

const Inserted = z.object({ id: z.int() });

/** Undefined without rows. */
async function insertRows(
  tx: Db,
  { university_id, created_by_user_id, mode }: Leased,
  rows: readonly ImportRow[],
  at: Date,
): Promise<number | undefined> {
  if (rows.length === 0 || created_by_user_id === null) return undefined;
  const inserted = insertImportQuery({
    universityId: university_id,
    creatorId: created_by_user_id,
    format: "one_roster",
    isDryRun: mode === "preview",
    overrides: false,
    total: rows.length,
    refused: rows.filter(({ refusal }) => refusal !== undefined).length,
    readAs: "[]",
    ignored: "[]",
    at: at.toISOString(),
  });
  const act = {
    action: "import.started",
    actor: created_by_user_id,
    university: sql`started.university_id`,
    details: sql`jsonb_build_object('import_id', started.id, 'rows', started.total, 'dry_run', started.is_dry_run)`,
  } as const;
  const [started] = await rowsOf(
    tx,
    Inserted,
    sql`with started as (${inserted}), audited as (${insertAuditEventsQuery(act, sql`started`)}) select id from started`,
  );
  for (let from = 0; started && from < rows.length; from += maxRowsPerStatement) {
    const part = JSON.stringify(rows.slice(from, from + maxRowsPerStatement));
    await tx.execute(insertImportRowsQuery(sql`${started.id}::integer`, part));
  }
  return started?.id;
}

/** A request that arrived while it was read keeps its mode and its date. */
async function storeResult(
  db: Db,
  { id, tries }: Leased,
  { state, failure, removals, importId }: End,
  began: Date,
  retryAfter = 0,
): Promise<void> {
  const moment = began.toISOString();
  const isTriedAgain = state === "failed" && tries < maxTries;
  const seconds = Math.max(300 * 2 ** (tries - 1), retryAfter);
  const next = isTriedAgain
    ? sql`${new Date(began.getTime() + seconds * 1000).toISOString()}::timestamptz`
    : nextNightlySyncAtSql(sql`one.id`, moment);
  const isLast = sql`one.tries = ${tries}`;
  await db.execute(sql`
    update one_roster_sources as one set
      lease_until = null, ended_at = ${moment}::timestamptz, failure = ${failure ?? null}::text,
      removals = ${removals ?? null}::integer, import_id = ${importId ?? null}::integer,
      synced_at = case when ${state === "imported"} then ${moment}::timestamptz else one.synced_at end,
      state = case when ${isLast} then ${state}::text else one.state end,
      mode = case when ${isLast} and not ${isTriedAgain} then 'changes' else one.mode end,
      due_at = case when ${isLast} then ${next} else one.due_at end,
      tries = case when ${isLast} and not ${isTriedAgain} then 0 else one.tries end,
      updated_at = ${moment}::timestamptz
    where one.id = ${id}`);
}
