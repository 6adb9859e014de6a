import type { Hono } from "hono";
import { afterAll, beforeAll } from "vitest";
import { allEndpointGroups } from "../../functions/groups.ts";
import { createApp } from "../../lib/http/create-app.ts";
import { rollUpReportData } from "../../lib/operations/analytics/roll-up.ts";
import type { PersonDataRead } from "../../lib/platform/metrics/person-reads.ts";
import { serverParts } from "../../server/parts.ts";
import { type Client, clientOf, type Person, type Reply } from "./client.ts";
import { type CloudStandIn, startCloudStandIn } from "./cloud-stand-in.ts";
import { type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";
import { openUndone, type UndoneDatabase } from "./undone.ts";
import { buildUniversity, type UniversityFixture } from "./university.ts";
import { openWorld, type World } from "./world.ts";

/** A university for requests of the whole app, with every change rolled back. */
export type DryRun = {
  world: World;
  university: UniversityFixture;
  /** Person reads since this array was emptied. They are not logged here. */
  personReads: PersonDataRead[];
  /** Sends a request as a person, or anonymously. `wrote`: whether a rejected request changed stored data. */
  ask(person: Person | undefined, request: Request): Promise<Reply & { wrote: boolean }>;
};

type Request = { method: string; path: string; body?: unknown; headers?: Record<string, string> };

/** Opens a dry run before a file's tests and closes it after them. `prepare` changes the university first. */
export function openDryRun(
  prepare: (world: World, university: UniversityFixture) => Promise<unknown> = async () => {},
) {
  let cloud: CloudStandIn;
  let provider: IdentityProvider;
  let undone: UndoneDatabase;
  beforeAll(async () => {
    cloud = await startCloudStandIn();
    provider = await startIdentityProvider({ redirectUri: "http://localhost/never-reached" });
  });
  // Metrics are written outside requests, so they are off: only requests change data.
  const world = openWorld(() => ({
    CLOUD_ENDPOINT_URL: cloud.url,
    OIDC_PROVIDERS: JSON.stringify([provider.setting]),
    ENABLE_METRICS: "false",
  }));
  const dryRun = { world, personReads: [] as PersonDataRead[] } as DryRun;
  beforeAll(async () => {
    dryRun.university = await buildUniversity(world);
    await prepare(world, dryRun.university);
    // Rolled up in advance, because reports roll up what is missing.
    await rollUpReportData(world.deps.db);
    undone = await openUndone(world.deps.config.DATABASE_URL);
    dryRun.ask = askOn(dryRun, undone);
  });
  afterAll(async () => {
    await undone.close();
    await cloud.close();
    await provider.close();
  });
  return dryRun;
}

/** Sends a request to the app and rolls back its changes. */
export function askOn(dryRun: Pick<DryRun, "world" | "personReads">, undone: UndoneDatabase): DryRun["ask"] {
  const { world } = dryRun;
  const { config, log, now } = world.deps;
  // Rejections here must not show up in later reads.
  const refusals = { note() {} };
  const personReads = { note: (read: PersonDataRead) => void dryRun.personReads.push(read) };
  const deps = {
    ...world.deps,
    db: undone.db,
    reads: undone.db,
    refusals,
    personReads,
    ...serverParts({ config, now, db: undone.db, log }),
  };
  const app = createApp(deps, allEndpointGroups) as unknown as Hono;
  const clients = new Map<string, Client>();
  return async (person, { method, path, body, headers = {} }) => {
    const token = JSON.stringify(person ?? null);
    const client = clients.get(token) ?? clientOf(app, deps, person);
    clients.set(token, client);
    try {
      const reply = await client.request(method, path, body, { headers });
      return { ...reply, wrote: reply.status >= 400 && (await undone.isChanged()) };
    } finally {
      undone.undo();
      // The log of tens of thousands of requests is never read and would slow garbage collection.
      world.log.length = 0;
    }
  };
}
