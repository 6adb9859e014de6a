import type { Hono } from "hono";
import { beforeAll, describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../../../functions/groups.ts";
import { createDeps } from "../../../../lib/deps.ts";
import { createApp } from "../../../../lib/http/create-app.ts";
import { replicaDelaySeconds } from "../../../../lib/operations/analytics/replica.ts";
import { checkDatabase } from "../../../../scripts/ops/doctor/database.ts";
import { type Client, clientOf } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { type Relay, startRelay } from "../../../support/relay.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();

let relay: Relay;
let admin: Client;
let settings: typeof world.deps.config;
let reports: string[];

/* The replica is the same database behind a relay that counts requests. */
beforeAll(async () => {
  const { config, log, now } = world.deps;
  const url = new URL(config.DATABASE_URL);
  relay = await startRelay(Number(url.port));
  url.port = String(relay.port);
  settings = { ...config, REPORT_DATABASE_URL: url.href };
  const deps = await createDeps(settings, { log, now });
  const university = await makersOf(world).university();
  const person = await makersOf(world).holder("platform_admin", university.id);
  admin = clientOf(createApp(deps, allEndpointGroups) as unknown as Hono, deps, person);
  reports = [
    ...["overview", "engagement", "progress", "assessments", "cache", "tutor", "community"].map(
      (report) => `/admin/analytics/${report}`,
    ),
    `/universities/${university.id}/analytics`,
  ];
  return async () => {
    await deps.close();
    await relay.close();
  };
});

describe("with a replica", () => {
  it("each report is read there, and returns the delay, as JSON and as CSV", async () => {
    for (const path of reports) {
      const asked = relay.turns();
      const { status, body } = await admin.get(path);
      expect([path, status, body.replica_delay_seconds]).toEqual([path, 200, 0]);
      expect(relay.turns()).toBeGreaterThan(asked);
    }
    const { text } = await admin.get("/admin/analytics/cache?format=csv");
    expect(text).toContain("\r\nreplica_delay_seconds,,0\r\n");
  });

  it("nothing else is: not callers, exports, or other reads and writes", async () => {
    const asked = relay.turns();
    for (const path of ["/users/me", "/users/me/export", "/courses/", "/admin/audit"])
      expect([path, (await admin.get(path)).status]).toEqual([path, 200]);
    expect(relay.turns()).toBe(asked);
  });

  it("callers are rejected as before, and unknown courses are a 404", async () => {
    expect((await admin.get("/admin/analytics/progress?course_id=2147483647")).status).toBe(404);
    expect((await world.as().get("/admin/analytics/overview")).status).toBe(401);
  });

  it("the doctor looks at it", async () => {
    const said = async () => (await checkDatabase(settings)).map(({ what }) => what).join("\n");
    expect(await said()).toContain("the replica for reports can be reached, 0 seconds behind");
    expect(await replicaDelaySeconds(world.deps.db)).toBe(0);
  });

  it("reports are a 503 while it is unavailable, and everything else continues", async () => {
    const port = relay.port;
    relay.cut();
    await relay.close();
    for (const path of reports) {
      const { status, body, headers } = await admin.get(path);
      expect([path, status, headers.get("retry-after")]).toEqual([path, 503, "5"]);
      expect(body.detail).toBe("The replica for reports cannot be reached");
    }
    expect((await admin.get("/users/me")).status).toBe(200);
    expect((await checkDatabase(settings)).map(({ what }) => what).join()).toContain(
      "the replica for reports:",
    );
    relay = await startRelay(port);
  });
});

it("without one a report says nothing of it", async () => {
  const university = await makersOf(world).university();
  const person = await makersOf(world).holder("platform_admin", university.id);
  const { body } = await world.as(person).get("/admin/analytics/community");
  expect(body).not.toHaveProperty("replica_delay_seconds");
});
