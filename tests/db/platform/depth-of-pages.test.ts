import { sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import type { Client } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

/** One connection, to read the statistics of its statements. */
const world = openWorld({ DATABASE_POOL_SIZE: "1" });
const make = makersOf(world);
const many = 5000;
let admin: Client;

beforeAll(async () => {
  const { db } = world.deps;
  admin = world.as(await make.holder("platform_admin", (await make.university()).id));
  await db.execute(sql`
    insert into users (email, full_name) select 'p' || n || '@example.edu', 'Person ' || n from generate_series(1, ${many}) as n`);
  await db.execute(sql`
    insert into feature_requests (user_id, title, description, created_at)
    select (select min(id) from users), 'Wish', '', timestamptz '2026-01-01' + n * interval '1 minute' from generate_series(1, ${many}) as n`);
  await db.execute(sql`vacuum analyze users, feature_requests`);
});

/** Rows of a table read so far, by any access path. */
async function rowsRead(table: string): Promise<number> {
  await world.deps.db.execute(sql`select pg_stat_force_next_flush()`);
  const { rows } = await world.deps.db.execute(sql`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables where relname = ${table}`);
  return Number(rows[0]?.["read"]);
}

it.each([
  ["users", "/users/?limit=10"],
  ["users", "/users/?sort=full_name&limit=10"],
  ["users", "/users/?sort=-email&limit=10"],
  ["feature_requests", "/feature-requests/all?limit=10"],
])("a page of %s reads as few rows far behind as at the beginning: %s", async (table, path) => {
  const { headers } = await admin.get(`${path}&skip=${many - 100}`);
  const next = /api\/v1([^>]*)>/.exec(headers.get("link") ?? "")?.[1] ?? "";
  const before = await rowsRead(table);
  const page = await admin.get(next);
  expect((page.body.data ?? page.body).length).toBe(10);
  expect((await rowsRead(table)) - before).toBeLessThan(50);
});
