import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { demoRegistrar } from "../../scripts/dev/seed/accounts.ts";
import { seed } from "../../scripts/seed.ts";
import type { ServerUrlAndPid } from "./baseline/environment.ts";
import { readCumulativeCpuMs } from "./cpu-time.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import { peakResidentMegabytes } from "./private-streams.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

/** A directory's first provisioning of a university, with typical concurrency. */
const concurrentScimRequests = 8;
const pageSize = 200;

const maxScimPhaseSeconds = { provisioned: 300, read: 20, grouped: 30 };
const maxProcessorMsPerScimRequest = 8;
const maxScimServerMegabytes = 250;

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";

/**
 * A directory provisions ten thousand people by SCIM, one request each, then a group of all that grants a
 * role. It reads everything in pages. Measures time, and the server's CPU and memory. This process is the
 * directory.
 */
export async function benchScimProvisioning(
  stage: BenchEnvironment,
  people = 10_000,
): Promise<BenchVerdict[]> {
  const database = await connectDatabase({ url: stage.databaseUrl });
  await seed(database.db, { now: new Date(), bcryptCost: 4 });
  await database.close();
  const server = await stage.start<ServerUrlAndPid>("platform-server.ts", {
    ...benchServiceSettings(stage.databaseUrl),
    ENABLE_ACCESS_LOG: "false",
  });
  const directory = await directoryOf(server.url);

  const used = () => readCumulativeCpuMs(server.pid, stage.postmaster);
  const before = await used();
  const ids: string[] = [];
  const provisioned = await secondsOf(() =>
    inTurns(people, async (n) => {
      ids.push((await directory.ask<{ id: string }>("POST", "/Users", userOf(n))).id);
    }),
  );
  const after = await used();
  const grouped = await secondsOf(async () => {
    const members = ids.map((value) => ({ value }));
    const group = { schemas: [groupSchema], displayName: "Everyone", members };
    const { id } = await directory.ask<{ id: string }>("POST", "/Groups?attributes=id", group);
    await directory.map(Number(id));
  });
  const read = await secondsOf(async () => {
    for (let startIndex = 1; startIndex <= people; startIndex += pageSize)
      await directory.ask("GET", `/Users?startIndex=${startIndex}&count=${pageSize}`);
  });
  const each = (part: "process" | "database") => (after[part] - before[part]) / people;
  return [
    upperLimitVerdict("People who were not provisioned", people - new Set(ids).size, 0, "people"),
    upperLimitVerdict(
      `${people} people provisioned, ${concurrentScimRequests} at once`,
      provisioned,
      maxScimPhaseSeconds.provisioned,
      "s",
    ),
    upperLimitVerdict(
      "Of a processor for each, of the process that answers",
      each("process"),
      maxProcessorMsPerScimRequest,
      "ms",
    ),
    upperLimitVerdict(
      "Of a processor for each, of the database",
      each("database"),
      maxProcessorMsPerScimRequest,
      "ms",
    ),
    upperLimitVerdict(
      `A group of ${people}, made and mapped to a role`,
      grouped,
      maxScimPhaseSeconds.grouped,
      "s",
    ),
    upperLimitVerdict(`${people} people read in pages of ${pageSize}`, read, maxScimPhaseSeconds.read, "s"),
    upperLimitVerdict(
      "The process that answers",
      Math.round(await peakResidentMegabytes(server.pid)),
      maxScimServerMegabytes,
      "MB resident",
    ),
  ];
}

const userOf = (n: number) => ({
  schemas: [userSchema],
  userName: `person-${n}@northgate.example`,
  externalId: `n-${n}`,
  name: { givenName: `Given ${n}`, familyName: `Family ${n}` },
  displayName: `Given ${n} Family ${n}`,
  emails: [{ primary: true, type: "work", value: `person-${n}@northgate.example` }],
  active: true,
});

/** A SCIM client of the first university, with a key made by the registrar. */
async function directoryOf(url: string) {
  const send = async <Answer>(
    method: string,
    path: string,
    token: string,
    body?: object,
  ): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  const { access_token } = await send<{ access_token: string }>(
    "POST",
    "/api/v1/auth/login",
    "",
    demoRegistrar,
  );
  const wanted = { name: "Directory", scopes: ["scim"], expires_at: new Date(Date.now() + 86_400_000) };
  const { key } = await send<{ key: string }>(
    "POST",
    "/api/v1/universities/1/api-keys",
    access_token,
    wanted,
  );
  return {
    ask: <Answer>(method: string, path: string, body?: object) =>
      send<Answer>(method, `/scim/v2${path}`, key, body),
    map: (group: number) =>
      send("PATCH", `/api/v1/universities/1/directory-groups/${group}`, access_token, { role: "TA" }),
  };
}

/** Repeats work, `concurrentScimRequests` at a time. */
async function inTurns(times: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < times) {
      next += 1;
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: concurrentScimRequests }, one));
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
