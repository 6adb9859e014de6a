import { sql } from "drizzle-orm";
import type { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { allEndpointGroups } from "../../functions/groups.ts";
import { createDeps } from "../../lib/deps.ts";
import { createApp } from "../../lib/http/create-app.ts";
import { getOrCreateAccountHashKey } from "../../lib/identity/identities/former-accounts.ts";
import { createLog } from "../../lib/platform/logging/log.ts";
import { serverParts } from "../../server/parts.ts";
import { clientOf, type Person } from "../support/client.ts";
import { type CloudStandIn, startCloudStandIn } from "../support/cloud-stand-in.ts";
import { copyDatabase, neonProxyAddress } from "../support/database.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { bodyOf, type Operation, operations, pathOf } from "../support/operations.ts";
import { servedAsService } from "../support/service-role.ts";
import { buildUniversity, type UniversityFixture } from "../support/university.ts";
import { openWorld } from "../support/world.ts";

let cloud: CloudStandIn;
let provider: IdentityProvider;
let university: UniversityFixture;

beforeAll(async () => {
  cloud = await startCloudStandIn();
  provider = await startIdentityProvider({ redirectUri: "http://localhost/never-reached" });
});

const settings = () => ({
  CLOUD_ENDPOINT_URL: cloud.url,
  OIDC_PROVIDERS: JSON.stringify([provider.setting]),
  ENABLE_METRICS: "false",
});

const world = openWorld(settings);

beforeAll(async () => {
  university = await buildUniversity(world);
  // Copying requires that no connection is open.
  await world.deps.close();
});

afterAll(async () => {
  await cloud.close();
  await provider.close();
});

type Driver = "pg" | "neon";

type Cost = { status: number; roundTrips: number };

type Ask = (operation: Operation, query?: string) => Promise<Cost>;

/** A copy of the university with the whole app. `undone` rolls the work back. */
type Copy = { ask: Ask; undone<T>(work: () => Promise<T>): Promise<T> };

/**
 * The app on a copy of the university during the work, over so many connections. Its account owns no tables,
 * which proves that the grants suffice.
 */
async function onCopy<T>(
  { driver, connections = 10 }: { driver: Driver; connections?: number },
  work: (copy: Copy) => Promise<T>,
): Promise<T> {
  const copy = await servedAsService(await copyDatabase(world.deps.config.DATABASE_URL));
  const neonProxy = neonProxyAddress(driver);
  const config = {
    ...world.deps.config,
    DATABASE_URL: copy.url,
    DATABASE_POOL_SIZE: connections,
    ...(neonProxy && { NEON_LOCAL_PROXY: neonProxy }),
  };
  const lines: Record<string, unknown>[] = [];
  const log = createLog(config, { write: (line) => lines.push(JSON.parse(line)) });
  const deps = await createDeps(config, { log, now: world.deps.now, parts: serverParts });
  // Read once per process.
  await getOrCreateAccountHashKey(deps.db, config);
  const app = createApp(deps, allEndpointGroups) as unknown as Hono;
  const ask: Ask = async (operation, query = "") => {
    lines.length = 0;
    const client = clientOf(app, deps, callerOf(operation));
    const path = pathOf(operation, university.paths) + query;
    const { status } = await client.request(operation.method, path, bodyOf(operation, university.fields));
    const requestLine = () => lines.find(({ db_query_count }) => db_query_count !== undefined);
    await vi.waitFor(() => expect(requestLine()).toBeDefined(), { timeout: 240_000, interval: 2 });
    return { status, roundTrips: Number(requestLine()?.["db_query_count"]) };
  };
  const undone: Copy["undone"] = async (something) => {
    await deps.db.execute(sql`begin`);
    try {
      return await something();
    } finally {
      await deps.db.execute(sql`rollback`);
    }
  };
  try {
    return await work({ ask, undone });
  } finally {
    await deps.close();
    await copy.drop();
  }
}

/** A permitted caller. Changing sign-in without a password needs a recent sign-in. */
function callerOf({ contract: { access, id } }: Operation): Person | undefined {
  const admin = university.people.find(({ name }) => name === "platform_admin of the university");
  if (access.kind === "anyone") return undefined;
  const signed_in_at = id.startsWith("changeMy") ? Math.floor(world.deps.now().getTime() / 1000) : undefined;
  return access.open === "own data" ? { ...university.learner, signed_in_at } : admin;
}

const isRead = ({ method }: Operation): boolean => method === "GET";

const takesPages = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === "skip");

/** A read with a cached caller, and one past the last page. */
async function costsOfRead(ask: Ask, operation: Operation): Promise<Cost[]> {
  await ask(operation);
  const pastTheEnd = takesPages(operation) ? [await ask(operation, "?skip=1000")] : [];
  return [await ask(operation), ...pastTheEnd];
}

/** Every read's cost per driver: the drivers differ here. */
async function measureReads(driver: Driver): Promise<Map<Operation, Cost[]>> {
  const costs = new Map<Operation, Cost[]>();
  await onCopy({ driver }, async ({ ask }) => {
    for (const operation of operations.filter(isRead))
      costs.set(operation, await costsOfRead(ask, operation));
  });
  return costs;
}

/** The producer renews its lease on another connection, which sees only committed rows. */
const makesAnswer = ({ name }: Operation): boolean => /^POST \S+\/(messages|greeting)$/.test(name);

/**
 * Every operation's cost. Each write starts from the same university: rolled back on one connection, or on a
 * copy.
 */
async function measure(): Promise<Map<Operation, Cost[]>> {
  const costs = await measureReads("pg");
  await onCopy({ driver: "pg", connections: 1 }, async ({ ask, undone }) => {
    for (const operation of operations.filter((one) => !isRead(one))) {
      const cost = makesAnswer(operation)
        ? await onCopy({ driver: "pg" }, (copy) => copy.ask(operation))
        : await undone(() => ask(operation));
      costs.set(operation, [cost]);
    }
  });
  return costs;
}

/** A streamed LLM answer is stored in pieces. */
const isOpenEnded = ({ name }: Operation): boolean => name === "POST /chat/sessions/{session_id}/messages";

const heading = `# Round trips

After this page you know how many round trips to the database each operation takes.

[tests/repo/round-trips.test.ts](../../tests/repo/round-trips.test.ts) measures them and writes this page
(\`npm test -- tests/repo/round-trips.test.ts -u\`). Reading the caller is included. A read is measured with a caller that the
process has cached, and takes the same through both drivers. An error may take one more, which finds its reason.

| Operation | Answer | Round trips | A page past the end |
| --- | --- | --- | --- |
`;

function tableOf(costs: Map<Operation, Cost[]>): string {
  const lines = [...costs].map(([operation, [cost, pastTheEnd]]) => {
    const found = isOpenEnded(operation)
      ? "3, with free text 4, and one for every two seconds of the answer"
      : cost?.roundTrips;
    return `| ${operation.name} | ${cost?.status} | ${found} | ${pastTheEnd?.roundTrips ?? ""} |`;
  });
  return `${heading}${lines.join("\n")}\n`;
}

/** Operations with a higher cost in the normal case, and why. */
const dearer: Record<string, number> = {
  // Compares input with stored data before writing.
  "POST /chat/sessions": 3,
  "POST /content": 3,
  "POST /modules": 3,
  "PUT /content/{content_id}": 3,
  // A text without a question reads the stored question first.
  "PUT /chat/topics/{content_item_id}/tree/nodes/{node_id}": 4,
  "POST /chat/topics/{content_item_id}/tree/pins/{pin_id}/confirm": 3,
  "PUT /assessments/questions/{question_id}": 3,
  // Computes the generation's key from the topic.
  "POST /content/{content_id}/warm": 3,
  // Checks the right to write before reading the file.
  "POST /assessments/question-pools/{question_pool_id}/import/qti": 3,
  "POST /assessments/offerings/{offering_id}/gradebook/import": 3,
  // Computes the next review from the card's history.
  "POST /study/flashcards/{flashcard_id}/reviews": 3,
  // Checks the right to write before reading the archive.
  "POST /scorm/packages": 3,
  // Chooses the attempt and the SCO from the stored state.
  "POST /scorm/offerings/{offering_id}/items/{scorm_item_id}/launches": 3,
  // Closes the attempt first, and then grades it.
  "POST /assessments/attempts/{attempt_id}/submit": 3,
  // Marks the regrade for recovery by the schedule, and then reads and grades in batches.
  "POST /assessments/offerings/{offering_id}/quizzes/{content_item_id}/regrade": 3,
  // Changes the question before it marks attempts, so grades stored from then on use it.
  "PUT /assessments/offerings/{offering_id}/quizzes/{content_item_id}/questions/{question_id}/thrown-out": 4,
  // Reads the keys, then attempts in batches, and the people of those that change.
  "GET /assessments/offerings/{offering_id}/quizzes/{content_item_id}/regrade": 2,
  // Stores the import, works in batches, and reads the result.
  "POST /universities/{university_id}/imports": 4,
  // Credentials may be stored elsewhere; the audit log records it afterwards.
  "POST /admin/cloud-credentials": 3,
  "DELETE /admin/cloud-credentials": 3,
  // Streams a course item by item. For an import without parts, checks that it exists.
  "GET /cartridges/courses/{course_id}": 10,
  "GET /cartridges/imports/{cartridge_import_id}/parts": 2,
  // Looks up the caller, records the export, and then streams table by table.
  "GET /users/me/export": 41,
  // Reads the person's current state.
  "PATCH /users/{user_id}": 3,
  // Records the first read of a grader's secret, so it looks the caller up first.
  "GET /assessments/offerings/{offering_id}/assignments/{assignment_id}/auto-grader": 2,
  // There was no feedback to withdraw.
  "DELETE /chat/messages/{message_id}/feedback": 3,
};

describe("round trips", () => {
  let throughPg: Map<Operation, Cost[]>;

  it("are as the table says through pg", async () => {
    throughPg = await measure();
    await expect(tableOf(throughPg)).toMatchFileSnapshot("../../docs/reference/round-trips.md");
  });

  it("of reads are the same through neon", async () => {
    const throughNeon = await measureReads("neon");
    const ofReads = [...throughPg].filter(([operation]) => isRead(operation));
    expect(tableOf(throughNeon)).toEqual(tableOf(new Map(ofReads)));
  });

  it("are one for a read and two for a write, except the listed ones, through pg", () => {
    const most = (operation: Operation) => dearer[operation.name] ?? (isRead(operation) ? 1 : 2);
    const found = [...throughPg]
      .filter(([operation, [cost]]) => cost && cost.status < 400 && !isOpenEnded(operation))
      .filter(([operation, [cost]]) => (cost?.roundTrips ?? 0) > most(operation))
      .map(([{ name }, [cost]]) => `${name}: ${cost?.roundTrips}`);
    expect(found).toEqual([]);
  });
});
