import { expect, it, vi } from "vitest";
import { type RequestContext, runInRequestContext } from "../../../lib/platform/async/request-context.ts";
import { keepListenerLeaseRenewed } from "../../../lib/tutor/generations/leases.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

it("heartbeats are in no request's record, whichever request starts them", async () => {
  const { signsOfLife } = world.deps;
  const sent = vi.spyOn(signsOfLife, "execute");
  const record: RequestContext = { count: 0, duration_ms: 0 };
  const kept = runInRequestContext(record, () =>
    keepListenerLeaseRenewed(signsOfLife, { session: 1, token: crypto.randomUUID() }),
  );
  await expect.poll(() => sent.mock.calls.length).toBeGreaterThan(0);
  await kept.end();
  expect(record.count).toBe(0);
  await runInRequestContext(record, async () => void (await signsOfLife.execute("select 1")));
  expect(record.count).toBe(1);
});
