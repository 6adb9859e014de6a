import { sql } from "drizzle-orm";
import type { CacheReport } from "../../schema/api/analytics.ts";
import type { Db } from "../db/client.ts";
import { countNew } from "./count-new.ts";
import { per, whole } from "./sql.ts";

/** What the tree of shared answers is worth, since the beginning. */
export async function cacheReport(db: Db): Promise<CacheReport> {
  await countNew(db);
  const { rows } = await db.execute<CacheReport>(sql`
    select ${whole(sql`sum(hits)`)} as cache_hit_count,
           ${whole(sql`sum(misses)`)} as cache_miss_count,
           ${per(sql`sum(hits)`, sql`sum(hits + misses)`)} as cache_hit_rate,
           ${per(sql`sum(diverged_sessions)`, sql`sum(sessions)`)} as session_divergence_rate,
           ((select count(*) from cache_nodes)
             - (select count(*) from cache_nodes where chunks is null))::int as total_cached_nodes,
           ${whole(sql`sum(hits)`)} as total_hits_served
    from chat_totals`);
  if (!rows[0]) throw new Error("a sum has no row");
  return rows[0];
}
