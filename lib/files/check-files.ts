import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { type AuditEntry, insertAuditEventsQuery } from "../identity/audit/record.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import {
  decodeStoredReason,
  encodeStoredReason,
  type StoredReason,
} from "../platform/results/stored-reason.ts";
import { hashWhileStreaming } from "./bytes.ts";
import { createScanner } from "./scanner.ts";

type Parts = Pick<Deps, "db" | "config" | "fileStore" | "now" | "log" | "metrics">;

/** Longer than the largest file takes: a dead worker's lease ends then. */
const leaseMilliseconds = 15 * 60 * 1000;

const Claimed = z.object({
  id: z.int(),
  key: z.string(),
  size: z.int(),
  tries: z.int(),
  purpose: z.string(),
  promised_sha256: z.string().nullable(),
});

type Claimed = z.output<typeof Claimed>;

/** The hash is of the bytes that were read. */
type Verdict = { sha256: string | null; refusal: StoredReason | null };

const later = (now: Date, milliseconds: number): string =>
  new Date(now.getTime() + milliseconds).toISOString();

/** After a minute, two, four and so on, an hour at most. */
const pauseAfter = (tries: number): number => Math.min(60, 2 ** Math.min(tries, 10) / 2) * 60_000;

/**
 * Hashes and scans files that are CHECKING, one by one, until the signal stops it or none is left. Concurrent
 * workers take different files. Failed checks are retried later.
 */
export async function hashAndScanPendingFiles(
  parts: Parts,
  signal: AbortSignal,
): Promise<{ checked: number }> {
  let checked = 0;
  while (!signal.aborted) {
    const file = await claim(parts);
    if (!file) break;
    try {
      await end(parts, file, await look(parts, file, signal));
      checked += 1;
    } catch (error) {
      const pause = signal.aborted ? 0 : pauseAfter(file.tries);
      await parts.db.execute(sql`
        update files set leased_until = ${later(parts.now(), pause)} where id = ${file.id} and state = 'checking'`);
      if (signal.aborted) break;
      parts.log.warn({ file: file.id, reason: String(error) }, "a file could not be checked");
    }
  }
  return { checked };
}

async function claim({ db, now }: Parts): Promise<Claimed | undefined> {
  const at = now();
  const [file] = await rowsOf(
    db,
    Claimed,
    leaseNextUncheckedFileQuery(at.toISOString(), later(at, leaseMilliseconds)),
  );
  return file;
}

/** Leases the next file that is CHECKING to a worker until then. */
export const leaseNextUncheckedFileQuery = (moment: string, until: string): SQL => sql`
  with next as (
    select one.id from files as one
    where one.state = 'checking' and (one.leased_until is null or one.leased_until <= ${moment})
    order by one.id limit 1 for no key update skip locked
  )
  update files as one set leased_until = ${until}, tries = one.tries + 1
  from next, stored_objects as object
  where one.id = next.id and object.id = one.object_id
  returning one.id, object.key, one.size, one.tries, one.purpose, one.promised_sha256`;

async function look(
  { fileStore, config }: Parts,
  { key, promised_sha256 }: Claimed,
  signal: AbortSignal,
): Promise<Verdict> {
  const stream = await fileStore.read(key);
  if (!stream) return { sha256: null, refusal: encodeStoredReason("file_bytes_gone") };
  const stop = () => stream.destroy(new Error("stopped"));
  signal.addEventListener("abort", stop);
  try {
    const hashed = hashWhileStreaming(stream);
    const found = await createScanner(config).scan(hashed.chunks);
    const sha256 = hashed.digest();
    if (found !== null) return { sha256, refusal: encodeStoredReason("file_infected", { found }) };
    const isOther = promised_sha256 !== null && promised_sha256 !== sha256;
    return { sha256, refusal: isOther ? encodeStoredReason("file_hash_differs") : null };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function end(
  { db, now, metrics }: Parts,
  { id, purpose, size: bytes }: Claimed,
  { sha256, refusal }: Verdict,
): Promise<void> {
  const act: AuditEntry = {
    action: "file.refused",
    actor: null,
    subject: sql`(done.file).uploaded_by_user_id`,
    university: sql`(done.file).university_id`,
    details: sql`jsonb_build_object('file_id', (done.file).id, 'reason', ${decodeStoredReason(refusal).reason}::text)`,
  };
  await db.execute(sql`
    with done as materialized (select accept_or_refuse_checked_file(${id}, ${sha256}, ${refusal}, ${now().toISOString()}) as file),
    audited as (${insertAuditEventsQuery(act, sql`(select * from done where (file).state = 'refused' and ${refusal}::text is not null) as done`)})
    select from done`);
  metrics.uploadEnded({ purpose, outcome: refusal === null ? "ready" : "refused", bytes });
}
