import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { doInSteps } from "../../platform/db/query/steps.ts";
import { unconfiguredFileStore } from "../../platform/file-store/file-store.ts";
import { newObjectKey } from "../../platform/file-store/keys.ts";

const compress = promisify(gzip);

const Stored = z.object({ id: z.int() });

/** One JSON line per row. */
export type WrittenArchive = { object: number; rows: number };

/**
 * Writes to the file store, if there is one. Unless the transaction that deletes the rows claims the object,
 * it is deleted automatically: a crash leaves no orphan.
 */
export async function writeArchive(
  { db, fileStore, now }: Pick<Deps, "db" | "fileStore" | "now">,
  university: number,
  lines: readonly string[],
): Promise<WrittenArchive | undefined> {
  if (lines.length === 0 || fileStore === unconfiguredFileStore) return undefined;
  const bytes = await compress(lines.map((line) => `${line}\n`).join(""));
  const key = newObjectKey();
  const [stored] = await rowsOf(
    db,
    Stored,
    sql`
      insert into stored_objects (key, size, university_id, unused_since)
      values (${key}, ${bytes.length}, ${university}, ${now().toISOString()}) returning id`,
  );
  if (!stored) return undefined;
  await fileStore.write(key, bytes, "application/gzip");
  return { object: stored.id, rows: lines.length };
}

/** Claims an archive, to be stored for the university's archive period. */
export async function claimRetentionArchive(
  tx: Db,
  { object, rows }: WrittenArchive,
  { run, kind, moment }: { run: { id: number; university_id: number }; kind: string; moment: string },
): Promise<void> {
  await tx.execute(
    sql`update stored_objects set unused_since = null where id = ${object} and going_at is null`,
  );
  await tx.execute(sql`
    insert into retention_archives (university_id, run_id, kind, rows, object_id, ends_at)
    select university_id, ${run.id}, ${kind}, ${rows}, ${object}, ${moment}::timestamptz + make_interval(days => archive_days)
    from retention_policies where university_id = ${run.university_id}`);
}

/** Releases expired archives; the objects are then deleted. Returns their number. */
export async function releaseExpiredArchives(
  { db, now }: Pick<Deps, "db" | "now">,
  signal: AbortSignal,
): Promise<number> {
  const moment = now().toISOString();
  let count = 0;
  await doInSteps(db, { rows: 200, signal }, async (tx, rows) => {
    const ended = await rowsOf(
      tx,
      Stored,
      sql`
        with ended as (
          delete from retention_archives where id = any (array(
            select id from retention_archives where ends_at < ${moment} order by ends_at limit ${rows}
            for update skip locked))
          returning object_id
        )
        update stored_objects set unused_since = ${moment} from ended where stored_objects.id = ended.object_id
        returning stored_objects.id::float8 as id`,
    );
    count += ended.length;
    return ended.length > 0;
  });
  return count;
}
