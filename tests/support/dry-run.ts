import type { Hono } from "hono";
import { afterAll, beforeAll } from "vitest";
import { groups } from "../../functions/groups.ts";
import { rollUp } from "../../lib/analytics/roll-up.ts";
import { shell } from "../../lib/http/shell.ts";
import type { PersonRead } from "../../lib/metrics/person-reads.ts";
import { serverParts } from "../../server/parts.ts";
import { type Client, clientOf, type Person, type Reply } from "./client.ts";
import { type CloudStandIn, startCloudStandIn } from "./cloud-stand-in.ts";
import { type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";
import { openUndone, type UndoneDatabase } from "./undone.ts";
import { buildUniversity, type UniversityFixture } from "./university.ts";
import { openWorld, type World } from "./world.ts";

/** A university on which the whole app can be asked anything, again and again: whatever a request does is undone. */
export type DryRun = {
  world: World;
  university: UniversityFixture;
  /** What staff read of whom since it was emptied: it goes to no log here. */
  personReads: PersonRead[];
  /** Sends a request as that person; without one, as nobody. `wrote` says whether a refusal changed anything stored. */
  ask(person: Person | undefined, request: Request): Promise<Reply & { wrote: boolean }>;
};

type Request = { method: string; path: string; body?: unknown; headers?: Record<string, string> };

/** Opens a dry run before the tests of a file and closes it after them; `prepare` changes the university before. */
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
  // Without metrics, which are reported past the requests, nothing changes but what a request changes.
  const world = openWorld(() => ({
    CLOUD_ENDPOINT_URL: cloud.url,
    OIDC_PROVIDERS: JSON.stringify([provider.setting]),
    ENABLE_METRICS: "false",
  }));
  const dryRun = { world, personReads: [] as PersonRead[] } as DryRun;
  beforeAll(async () => {
    dryRun.university = await buildUniversity(world);
    await prepare(world, dryRun.university);
    // A report works out what is not rolled up: here it finds nothing of it.
    await rollUp(world.deps.db);
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

/** Asks the app, and undoes what that did. */
export function askOn(dryRun: Pick<DryRun, "world" | "personReads">, undone: UndoneDatabase): DryRun["ask"] {
  const { world } = dryRun;
  const { config, log, now } = world.deps;
  // What is refused here is not to stand in what others read next.
  const refusals = { note() {} };
  const personReads = { note: (read: PersonRead) => void dryRun.personReads.push(read) };
  const deps = {
    ...world.deps,
    db: undone.db,
    reads: undone.db,
    refusals,
    personReads,
    ...serverParts({ config, now, db: undone.db, log }),
  };
  const app = shell(deps, groups) as unknown as Hono;
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
      // Of tens of thousands of requests nobody reads the log, and what is kept has to be looked through for garbage.
      world.log.length = 0;
    }
  };
}
