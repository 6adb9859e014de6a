import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import * as z from "zod";
import { loadConfig } from "../../../lib/config.ts";
import { createDeps } from "../../../lib/deps.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { cloneDatabase } from "../../support/database.ts";

const Clocks = z.object({ database: z.number(), apart: z.number() });

test("CLOCK_OFFSET moves the service's clock and that of each of its connections alike", async () => {
  const clone = await cloneDatabase();
  const deps = await createDeps(
    loadConfig({
      ENVIRONMENT: "development",
      SECRET_KEY: "short",
      DATABASE_URL: clone.url,
      LLM_PROVIDER: "cloud_managed",
      CLOCK_OFFSET: "-52w",
      LOG_LEVEL: "ERROR",
    }),
  );
  try {
    for (const db of [deps.db, deps.signsOfLife]) {
      const before = deps.now().getTime();
      const [clocks] = await rowsOf(
        db,
        Clocks,
        sql`select extract(epoch from service_clock())::float8 * 1000 as database,
                   extract(epoch from clock_timestamp() - service_clock())::float8 as apart`,
      );
      expect(clocks?.apart).toBeCloseTo(52 * 7 * 86_400, 0);
      expect(clocks?.database).toBeGreaterThan(before - 1000);
      expect(clocks?.database).toBeLessThan(deps.now().getTime() + 1000);
    }
  } finally {
    await deps.close();
    await clone.drop();
  }
});
