import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { connectDatabase } from "../../../lib/platform/db/driver/connect.ts";
import { cloneDatabase, neonProxyAddress } from "../../support/database.ts";
import { bytesAfterMinorCollections, collect } from "../../support/heap.ts";

const resultBytes = 90_000;
const reads = 100;

/** Results that stay until a full collection make these frequent. */
test.each(["pg", "neon"] as const)("through %s, minor collections free results", async (driver) => {
  const clone = await cloneDatabase();
  onTestFinished(() => clone.drop());
  const neonProxy = neonProxyAddress(driver);
  const database = await connectDatabase({ url: clone.url, ...(neonProxy && { neonProxy }) });
  onTestFinished(() => database.close());
  const read = () => database.reads.execute(sql`select repeat('x', ${resultBytes}::int) as text`);
  await read();
  const kept: number[] = [];
  for (const _round of [1, 2, 3]) {
    collect({ type: "major" });
    const before = bytesAfterMinorCollections();
    for (let done = 0; done < reads; done += 1) await read();
    kept.push(bytesAfterMinorCollections() - before);
  }
  // One round may keep a third: dead objects of the old space refer to it until a major collection.
  expect(Math.min(...kept)).toBeLessThan((reads * resultBytes) / 2);
});
