import { sql } from "drizzle-orm";
import { CacheReport } from "../../schema/api/analytics.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { asOf, Behind, behindSince } from "./as-of.ts";
import { countOf, ratio, sumOf, uncounted } from "./totals.ts";

const Row = CacheReport.omit({ as_of: true }).extend(Behind);

/** What the tree of shared answers is worth, since the beginning. */
export async function cacheReport(db: Db): Promise<CacheReport> {
  const answers = sql`(coalesce(${sumOf("hits")}, 0) + coalesce(${sumOf("misses")}, 0))`;
  const hitRate = ratio(sql`coalesce(${sumOf("hits")}, 0)`, answers);
  const statement = sql`
    with ${uncounted}
    select ${behindSince},
           ${countOf("hits")} as cache_hit_count,
           ${countOf("misses")} as cache_miss_count,
           ${hitRate} as hit_rate,
           ${hitRate} as cache_hit_rate,
           ${ratio(sql`coalesce(${sumOf("divergences")}, 0)`, sumOf("conversations"))} as session_divergence_rate,
           (select count(*)::int from cache_nodes) as total_cached_nodes,
           ${countOf("hits")} + ${countOf("joined")} as total_hits_served`;
  const [row] = await rowsOf(db, Row, statement);
  if (!row) throw new Error("a sum has no row");
  const { behind_since, ...figures } = row;
  return { ...asOf(behind_since), ...figures };
}
