import type pg from "pg";

/** Distributes work over connections; each takes the next item when free. */
export async function distributeOverConnections<T>(
  clients: readonly pg.Client[],
  work: readonly T[],
  done: (client: pg.Client, one: T) => Promise<unknown>,
): Promise<void> {
  const left = [...work];
  await Promise.all(
    clients.map(async (client) => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await done(client, next);
    }),
  );
}

/** Drops a table's indexes that back no constraint, and returns the statements that create them. */
export async function dropIndexesReturningDefinitions(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; text: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index
     where indrelid = $1::regclass and not indisunique
       and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ text }) => text);
}
