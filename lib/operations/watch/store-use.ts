import { statfs } from "node:fs/promises";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../../config.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { resolveFileStoreSetting } from "../../platform/file-store/setting.ts";
import type { MetricSample } from "../../platform/metrics/store.ts";

const Largest = z.object({ bytes: z.number() });
const gigabyte = 1_000_000_000;

/** The used share of the largest university's quota and, if the store is a folder, of its disk. */
export async function readFileStorageUseSamples(db: ReadDb, config: Config): Promise<MetricSample[]> {
  const statement = sql`select coalesce(max(bytes), 0)::float8 as bytes from file_usage`;
  const [[largest], disk] = await Promise.all([rowsOf(db, Largest, statement), usedOfDisk(config)]);
  const quota = (largest?.bytes ?? 0) / (config.FILE_QUOTA_GB * gigabyte);
  return [
    { sample: "files_quota_used_ratio", labels: {}, value: quota },
    ...(disk === undefined ? [] : [{ sample: "files_store_used_ratio", labels: {}, value: disk }]),
  ];
}

/** Undefined for a bucket, and for a folder that is not reachable: its requests fail anyway. */
async function usedOfDisk(config: Config): Promise<number | undefined> {
  const setting = resolveFileStoreSetting(config);
  if (setting?.kind !== "folder") return undefined;
  const disk = await statfs(setting.path).catch(() => undefined);
  // As `df` computes it: reserved blocks count as used.
  return disk && 1 - disk.bavail / (disk.blocks - disk.bfree + disk.bavail);
}
