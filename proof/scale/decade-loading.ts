import type pg from "pg";
import { openConnectionWithoutTimeouts } from "../../lib/platform/db/driver/connect.ts";
import type { OnProgress } from "../../scripts/ops/progress-bar.ts";
import { buildDecadeTableInserts, type DecadeSize, enrollmentJoinSql } from "./decade.ts";
import { bulkRollUpReportData } from "./decade-roll-up.ts";
import { distributeOverConnections, dropIndexesReturningDefinitions } from "./parallel-loading.ts";

const batch = 250_000;

/**
 * Loads ten years into an empty database over two connections, within minutes: without triggers and foreign
 * keys, which this data satisfies, and with large tables' indexes built afterwards.
 */
export async function loadTenYearsOfData(
  url: string,
  size: DecadeSize,
  onProgress: OnProgress,
): Promise<void> {
  const clients = await Promise.all([openLoader(url), openLoader(url)]);
  const [first] = clients;
  try {
    const loads = buildDecadeTableInserts(size);
    const all = loads.reduce((sum, { count }) => sum + count, 0);
    let done = 0;
    for (const load of loads) {
      const isLarge = load.count > batch;
      const indexes = isLarge ? await dropIndexesReturningDefinitions(first, load.table) : [];
      const starts = Array.from({ length: Math.ceil(load.count / batch) }, (_, at) => at * batch);
      await distributeOverConnections(clients, starts, async (client, from) => {
        const to = Math.min(from + batch, load.count);
        await client.query(
          `insert into ${load.table} (${load.columns}) overriding system value
           select ${load.rows} from generate_series(${from}, ${to - 1}) as n${enrollmentJoinSql(load, size)}${load.table === "activity_events" ? " order by n" : ""}`,
        );
        done += to - from;
        onProgress(load.what, done, all);
      });
      await distributeOverConnections(clients, indexes, (client, statement) => client.query(statement));
      await first.query(`analyze ${load.table}`);
    }
    await countOn(first);
    await bulkRollUpReportData(clients, onProgress);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function openLoader(url: string): Promise<pg.Client> {
  const client = await openConnectionWithoutTimeouts(url);
  await client.query(`set time zone 'UTC'; set session_replication_role = replica; set synchronous_commit = off;
    set maintenance_work_mem = '512MB'; set work_mem = '64MB'; set jit = off`);
  return client;
}

/** Sets sequences after the given ids. */
async function countOn(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `select attrelid::regclass::text as table from pg_attribute
     join pg_class on pg_class.oid = attrelid
     where attname = 'id' and attidentity <> '' and relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  );
  for (const { table } of rows)
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', 'id'), (select coalesce(max(id), 0) + 1 from ${table}))`,
    );
}
