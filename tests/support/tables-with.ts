import { sql } from "drizzle-orm";
import type { World } from "./world.ts";

type Found = { where: string; rows: number };

export async function tablesWith(world: World, text: string): Promise<Found[]> {
  const { rows: tables } = await world.deps.db.execute(
    sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const found: Found[] = [];
  for (const { name } of tables as { name: string }[]) {
    const { rows } = await world.deps.db.execute(
      sql`select count(*)::int as rows from ${sql.identifier(name)} as one where position(${text} in one::text) > 0`,
    );
    const [{ rows: count } = { rows: 0 }] = rows as { rows: number }[];
    if (count > 0) found.push({ where: name, rows: count });
  }
  return found;
}
