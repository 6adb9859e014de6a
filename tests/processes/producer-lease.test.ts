import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chunksOf, type Deployment, greet, type Learner, openDeployment } from "./deployment.ts";

let deployment: Deployment;

beforeAll(async () => {
  deployment = await openDeployment(2, { leases: "real" });
});

afterAll(() => deployment.close());

/** The generation's lease: its token, duration and remaining time in seconds. */
async function leaseOf() {
  const [row] = await deployment.rows<{ lasts: number; left: number; token: string }>(sql`
    select extract(epoch from producer_lease_duration())::float as lasts,
           extract(epoch from lease_until - clock_timestamp())::float as left, token
    from generations where state = 'writing'`);
  return row;
}

it("a maker that dies is replaced by a listener when its lease is over, which is within 3 seconds", async () => {
  const [first, second] = (await deployment.enrollLearners(2)) as [Learner, Learner];
  const [doomed, other] = deployment.servers;
  if (!doomed || !other) throw new Error("there is no server");
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  // Delays any producer, also if a lease expires early on a busy machine.
  deployment.llm.script({ chunks: ["All of it.", held], times: 20 });
  const broken = greet(doomed, first).catch(() => "broken");
  await expect.poll(leaseOf).toBeDefined();
  await doomed.kill();
  const orphaned = await leaseOf();
  // Subscribers poll four times a second, and the next poll claims a generation without a producer.
  expect(orphaned?.lasts).toBeLessThanOrEqual(3 - 0.25);
  expect(orphaned?.left).toBeLessThanOrEqual(orphaned?.lasts ?? 0);

  const following = greet(other, second);
  await expect.poll(async () => (await leaseOf())?.token).not.toBe(orphaned?.token);
  release();
  expect(await broken).toBe("broken");
  const told = await following;
  expect(told.events.at(-1)).toMatchObject({ done: true, message_id: expect.any(Number) });
  expect(chunksOf(told).join("")).toBe("All of it.");
});
