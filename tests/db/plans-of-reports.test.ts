import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { interruptedTrees } from "../../lib/analytics/interrupted-trees.ts";
import { openWorld } from "../support/world.ts";

describe("the plans of reports", () => {
  const world = openWorld();

  it("join events with trees, however little memory a statement has", async () => {
    const plan = await world.deps.db.transaction(async (tx) => {
      await tx.execute(sql`set local work_mem = '64kB'`);
      const { rows } = await tx.execute<{ "QUERY PLAN": string }>(
        sql`explain select * from ${interruptedTrees(sql`current_date`)} as counted`,
      );
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    });
    expect(plan).toContain("Anti Join");
  });
});
