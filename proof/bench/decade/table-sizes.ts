import type pg from "pg";

type Sized = { table: string; rows: number; bytes: number; indexes: number };

/** Prints bytes per row of each large table, with indexes, and the duration of its vacuum. */
export async function vacuumAndPrintTableSizes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Sized>(`
    select relname as table, reltuples::float8 as rows, pg_table_size(oid)::float8 as bytes, pg_indexes_size(oid)::float8 as indexes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and reltuples > 10000
    order by pg_total_relation_size(oid) desc`);
  console.log("table                          rows   bytes a row   of them indexes   vacuum");
  for (const { table, rows: count, bytes, indexes } of rows) {
    const began = performance.now();
    await client.query(`vacuum (analyze) ${table}`);
    const seconds = (performance.now() - began) / 1000;
    console.log(
      [
        table.padEnd(24),
        String(Math.round(count)).padStart(10),
        ((bytes + indexes) / count).toFixed(0).padStart(13),
        (indexes / count).toFixed(0).padStart(17),
        `${seconds.toFixed(1)} s`.padStart(8),
      ].join(" "),
    );
  }
  const { rows: all } = await client.query<{ size: string }>(
    "select pg_size_pretty(pg_database_size(current_database())) as size",
  );
  console.log(`in all ${all[0]?.size}`);
}
