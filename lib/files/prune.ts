import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { repeatInStepsUntilZero } from "../platform/db/query/steps.ts";
import { unconfiguredFileStore } from "../platform/file-store/file-store.ts";

type Parts = Pick<Deps, "db" | "fileStore" | "now">;

const rowsAtOnce = 100;

/** An upload may be completed within a day, and its URL lasts an hour. */
const dayAndMore = 26 * 60 * 60 * 1000;

const Going = z.object({
  id: z.int(),
  key: z.string(),
  size: z.int(),
  multipart_id: z.string().nullable(),
});

/**
 * Deletes files not completed or unused for a day, and marks objects without a file for seven days. Then
 * deletes marked objects, and after each its row.
 */
export async function pruneFiles(parts: Parts, signal: AbortSignal) {
  const { db, now, fileStore } = parts;
  const at = now().toISOString();
  const steps = { rows: rowsAtOnce, signal };
  const deleted = await repeatInStepsUntilZero(
    db,
    steps,
    (rows) => sql`delete_unused_or_incomplete_files(${at}, ${rows})`,
  );
  const marked = await repeatInStepsUntilZero(
    db,
    steps,
    (rows) => sql`mark_unused_objects_for_deletion(${at}, ${rows})`,
  );
  const gone = await deleteGoing(parts, signal);
  const swept =
    fileStore === unconfiguredFileStore
      ? 0
      : await fileStore.sweepUploads(new Date(now().getTime() - dayAndMore));
  return { deleted, marked, gone, swept };
}

async function deleteGoing({ db, fileStore, now }: Parts, signal: AbortSignal): Promise<number> {
  let gone = 0;
  while (!signal.aborted) {
    const going = await rowsOf(
      db,
      Going,
      sql`
        select id, key, size, multipart_id from stored_objects where going_at <= ${now().toISOString()}
        order by going_at, id limit ${rowsAtOnce}`,
    );
    if (going.length === 0) break;
    for (const { key, size, multipart_id: multipartId } of going)
      if (multipartId) await fileStore.dropParts({ key, multipartId, size, partSize: size });
    await fileStore.remove(going.map(({ key }) => key));
    await db.execute(sql`
      delete from stored_objects where id = any(${sql.param(going.map(({ id }) => id))}::bigint[]) and going_at is not null`);
    gone += going.length;
  }
  return gone;
}
