import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { operations } from "../../../../functions/platform/metrics/app.ts";
import { createDeps } from "../../../../lib/deps.ts";
import { createApp } from "../../../../lib/http/create-app.ts";
import { connectDatabase } from "../../../../lib/platform/db/driver/connect.ts";
import { missingMigrationCount } from "../../../../lib/platform/db/migrations/readiness.ts";
import journal from "../../../../schema/migrations/meta/_journal.json" with { type: "json" };
import { emptyDatabase } from "../../../support/database.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();

const ask = async (path: string) => {
  const answer = await world.app.request(path);
  return [answer.status, await answer.json()];
};

describe("GET /healthz", () => {
  it("says that the process is up, and asks nothing of the database", async () => {
    const answer = await world.app.request("/healthz");
    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
    expect(answer.headers.get("server-timing")).toContain('"0 queries"');
  });
});

describe("GET /readyz", () => {
  it("is ready with a database that has every migration, and with one that is ahead", async () => {
    expect(await ask("/readyz")).toEqual([200, { status: "ok" }]);
    await world.deps.db.execute(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9e12)`,
    );
    expect(await ask("/readyz/")).toEqual([200, { status: "ok" }]);
    await world.deps.db.execute(sql`delete from drizzle.__drizzle_migrations where hash = 'newer'`);
  });

  it("is not ready when migrations are missing, and says how many", async () => {
    const { rows } = await world.deps.db.execute(
      sql`delete from drizzle.__drizzle_migrations
          where created_at >= (select created_at from drizzle.__drizzle_migrations order by 1 desc limit 1 offset 1)
          returning *`,
    );
    expect(rows).toHaveLength(2);
    expect(await ask("/readyz")).toEqual([
      503,
      { detail: "The database lacks 2 of this version's migrations" },
    ]);
  });

  it("is not ready when the functions of this version are missing, which count as one, unless a newer one has its own", async () => {
    await world.deps.db.execute(sql`update drizzle.applied_versions set functions = 'others'`);
    expect(await missingMigrationCount(world.deps.db)).toBe(3);
    await world.deps.db.execute(sql`update drizzle.applied_versions set version = '999.0.0'`);
    expect(await missingMigrationCount(world.deps.db)).toBe(2);
  });

  it("is not ready with an empty database", async () => {
    const empty = await emptyDatabase();
    const database = await connectDatabase({ url: empty.url });
    // Functions count as one migration.
    expect(await missingMigrationCount(database.db)).toBe(journal.entries.length + 1);
    await database.close();
    await empty.drop();
  });

  it("is not ready when the database is out of reach, whereas the process is still up", async () => {
    const DATABASE_URL = "postgresql://nobody@127.0.0.1:1/nowhere";
    const config = { ...world.deps.config, DATABASE_URL, NEON_LOCAL_PROXY: undefined };
    const deps = await createDeps(config, { log: world.deps.log });
    const app = createApp(deps, [operations]);
    const answer = await app.request("/readyz");
    expect([answer.status, await answer.json()]).toEqual([503, { detail: "The database cannot be reached" }]);
    expect(answer.headers.get("retry-after")).toBeTruthy();
    expect((await app.request("/healthz")).status).toBe(200);
    await deps.close();
  });
});
