import type { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../functions/groups.ts";
import { createDeps, type Deps } from "../../lib/deps.ts";
import { createApp } from "../../lib/http/create-app.ts";
import { rollUpReportData } from "../../lib/operations/analytics/roll-up.ts";
import { createLog } from "../../lib/platform/logging/log.ts";
import { serverParts } from "../../server/parts.ts";
import { clientOf, type Person } from "../support/client.ts";
import { type CloudStandIn, startCloudStandIn } from "../support/cloud-stand-in.ts";
import { type Operation, operations, pathOf } from "../support/operations.ts";
import { buildUniversity, type UniversityFixture } from "../support/university.ts";
import { openWorld } from "../support/world.ts";

const reads = operations.filter(({ method }) => method === "GET");

let cloud: CloudStandIn;
let university: UniversityFixture;
let deps: Deps & { close(): Promise<void> };
let app: Hono;
const lines: string[] = [];

beforeAll(async () => {
  cloud = await startCloudStandIn();
});

const world = openWorld(() => ({ CLOUD_ENDPOINT_URL: cloud.url, ENABLE_METRICS: "false" }));

beforeAll(async () => {
  university = await buildUniversity(world);
  await rollUpReportData(world.deps.db);
  // The first request creates the platform's credential key, on a separate connection.
  for (const one of reads) if (/credential$/.test(one.name)) await askOn(world.app, one, callersOf(one)[0]);
  const readOnly = new URL(world.deps.config.DATABASE_URL);
  readOnly.searchParams.set("options", "-c default_transaction_read_only=on");
  const config = { ...world.deps.config, DATABASE_URL: readOnly.href };
  const log = createLog(config, { write: (line) => lines.push(line) });
  deps = await createDeps(config, { log, now: world.deps.now, parts: serverParts });
  // The schedule writes rejections to the audit log, outside requests.
  app = createApp(
    { ...deps, refusals: { note() {} }, personReads: { note() {} } },
    allEndpointGroups,
  ) as unknown as Hono;
});

afterAll(async () => {
  await deps.close();
  await cloud.close();
});

const askOn = (on: Hono, { method, ...operation }: Operation, person: Person | undefined) =>
  clientOf(on, world.deps, person).request(method, pathOf({ method, ...operation }, university.paths));

/** The callers who see the most: a reader of everything, and the owner of the objects in the paths. */
function callersOf({ contract: { access } }: Operation): (Person | undefined)[] {
  if (access.kind === "anyone") return [undefined];
  const admin = university.people.find(({ name }) => name === "platform_admin of the university");
  return [admin, university.learner];
}

/** An operation's response on read-only connections, and its log of rejected writes. */
async function askReadOnly(operation: Operation) {
  lines.length = 0;
  const statuses: number[] = [];
  for (const caller of callersOf(operation)) statuses.push((await askOn(app, operation, caller)).status);
  return { statuses, isRefused: lines.some((line) => line.includes("in a read-only transaction")) };
}

describe("an operation that is a GET", () => {
  it.each(reads.filter(({ contract }) => !contract.writes))(
    "writes nothing: $name answers where no statement may write",
    async (operation) => {
      const { statuses, isRefused } = await askReadOnly(operation);
      expect(isRefused).toBe(false);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    },
  );

  it("declares its writes", () => {
    const writing = operations.filter(({ contract }) => contract.writes !== undefined);
    expect(writing.map(({ contract: { id, method, writes } }) => [id, method, writes])).toEqual([
      ["beginProviderLogin", "get", "sign-in"],
      ["finishProviderLogin", "get", "sign-in"],
      ["beginSamlLogin", "get", "sign-in"],
      ["exportMyData", "get", "audit"],
      ["exportDataRequest", "get", "audit"],
      ["getTutorProgress", "get", "audit"],
      ["getAutoGrader", "get", "audit"],
      ["resumeChatStream", "get", "stream"],
    ]);
  });

  it("settles the declared changes, once its caller is confirmed", () => {
    const settling = operations.filter(({ contract }) => contract.settles !== undefined);
    expect(
      settling.map(({ contract: { id, method, settles, writes } }) => [id, method, settles, writes]),
    ).toEqual([
      ["getMyHome", "get", "grades", undefined],
      ["listCourseOfferingEnrollments", "get", "grades", undefined],
      ["getCourseOfferingOutline", "get", "grades", undefined],
      ["listMyModuleProgress", "get", "grades", undefined],
      ["listMyContentProgress", "get", "grades", undefined],
      ["readQuestionStatistics", "get", "grades", undefined],
      ["listQuizAttempts", "get", "grades", undefined],
      ["listMyQuizAttempts", "get", "grades", undefined],
      ["getQuizAttempt", "get", "grades", undefined],
      ["readGradebook", "get", "grades", undefined],
      ["readMyGrades", "get", "grades", undefined],
    ]);
  });

  it("is a 503 if it writes and the database is read-only", async () => {
    const exporting = reads.find(({ contract }) => contract.id === "exportMyData");
    expect(exporting && (await askReadOnly(exporting))).toEqual({ statuses: [503, 503], isRefused: true });
  });
});
