import { sql } from "drizzle-orm";
import { CacheReport } from "../../../schema/api/operations/analytics.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { answersBehindSinceSql, asOfField, BehindSinceColumn } from "./report-delay.ts";
import { integerOrZeroSql, ratioSql, sumsOfTotalsQuery } from "./totals.ts";

const Row = CacheReport.omit({ as_of: true }).extend(BehindSinceColumn);

/** All-time counts that miss the latest days. */
const uncounted = {
  cache_hit_count: null,
  cache_miss_count: null,
  hit_rate: null,
  cache_hit_rate: null,
  total_hits_served: null,
};

export async function cacheReport(db: ReadDb): Promise<CacheReport> {
  const hitRate = ratioSql(sql`coalesce(hits, 0)`, sql`(coalesce(hits, 0) + coalesce(misses, 0))`);
  const statement = sql`
    select ${answersBehindSinceSql()},
           ${integerOrZeroSql(sql`hits`)} as cache_hit_count,
           ${integerOrZeroSql(sql`misses`)} as cache_miss_count,
           ${hitRate} as hit_rate,
           ${hitRate} as cache_hit_rate,
           ${ratioSql(sql`coalesce(divergences, 0)`, sql`conversations`)} as session_divergence_rate,
           (select count(*)::int from cache_nodes) as total_cached_nodes,
           ${integerOrZeroSql(sql`hits`)} + ${integerOrZeroSql(sql`joined`)} as total_hits_served
    from (${sumsOfTotalsQuery("answers", ["hits", "misses", "joined"])}) as answer,
         (${sumsOfTotalsQuery("conversations", ["conversations", "divergences"])}) as conversation`;
  const [row] = await rowsOf(db, Row, statement);
  if (!row) throw new Error("an aggregate returned no row");
  const { behind_since, ...figures } = row;
  return { ...asOfField(behind_since), ...figures, ...(behind_since !== null && uncounted) };
}
