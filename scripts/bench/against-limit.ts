import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { hashPassword } from "../../lib/auth/passwords.ts";
import { loadConfig } from "../../lib/config.ts";
import { connectDatabase } from "../../lib/db/client.ts";
import { tokensOf } from "../../lib/tokens.ts";
import { startPracticeTutor } from "../local/practice-tutor.ts";
import { seed } from "../seed.ts";
import { startDelayingProxy } from "./delaying-proxy.ts";
import { type BenchEnvironment, benchSettings } from "./environment.ts";
import type { BenchFlags } from "./flags.ts";
import { account, type Classroom, lengthenAnswers, makeClassroom, prompts } from "./limit/classroom.ts";
import { type Borne, load, type Sent, together } from "./limit/load.ts";
import { type LoadedOperation, operationsOn } from "./limit/operations.ts";
import type { Verdict } from "./report.ts";

/** Two servers on the same rows: ours, and the one that it is held against. */
type Pair = { ours: string; other: string; otherName: string };

/** The administrator of the seeded platform. */
const administrator = 1;

/**
 * Requests a second, medians and 99th percentiles of the operations that people wait for, in rounds that take turns with
 * the limit: a bare server that does each in one named statement. The answers are compared first.
 */
export async function benchAgainstLimit(stage: BenchEnvironment, flags: BenchFlags): Promise<Verdict[]> {
  const tutor = await startPracticeTutor();
  const environment = {
    ...benchSettings(stage.databaseUrl, tutor.url),
    ...(flags["no-access-log"] && { ENABLE_ACCESS_LOG: "false" }),
    ...(flags["no-metrics"] && { ENABLE_METRICS: "false" }),
    BCRYPT_COST: "12",
  };
  const database = connectDatabase({ url: stage.databaseUrl });
  await seed(database.db, { now: new Date(), bcryptCost: 4 });
  await database.close();
  const classroom = await makeClassroom(stage.databaseUrl, await hashPassword(account.password, 12));

  const proxy = await delayed(stage.databaseUrl, flags.latency);
  const served = { ...environment, DATABASE_URL: proxy.url };
  const ours = await stage.start("platform-server.ts", { ...served });
  const sentBy = await senderOf(environment, classroom);
  await prepare(ours.url, sentBy, classroom, stage.databaseUrl);
  const compared = flags.compare;
  const pair: Pair = compared
    ? { ours: ours.url, other: await waitFor(compared, served), otherName: compared }
    : { ours: ours.url, other: (await stage.start("limit/server.ts", served)).url, otherName: "the limit" };

  const verdicts: Verdict[] = [];
  for (const operation of operationsOn(classroom).filter(({ name }) => name.includes(flags.only ?? "")))
    verdicts.push(...(await compareOn(pair, operation, sentBy, flags)));
  await proxy.close();
  await tutor.close();
  return verdicts;
}

/** What one of a crowd sends of an operation, with a token of their own. */
type SentBy = (operation: LoadedOperation) => (one: number) => Sent;

/** Signs the tokens of the class and of the administrator, with the key that the servers have. */
async function senderOf(environment: Record<string, string>, { learners }: Classroom): Promise<SentBy> {
  const tokens = tokensOf(loadConfig(environment), () => new Date());
  const tokenOf = async (id: number) => (await tokens.issue({ id })).access_token;
  const ofAdmin = await tokenOf(administrator);
  const ofLearners = await Promise.all(learners.map(({ id }) => tokenOf(id)));
  return (operation) => (one) => {
    const { method, path, body } = operation.request(one);
    const token = operation.asAdmin ? ofAdmin : ofLearners[one % ofLearners.length];
    const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
    return { method, path: `/api/v1${path}`, headers, ...(body && { body: JSON.stringify(body) }) };
  };
}

/** The database behind so many milliseconds of network, where that is asked for. */
async function delayed(databaseUrl: string, latency = "0") {
  const milliseconds = Number(latency);
  if (milliseconds === 0) return { url: databaseUrl, close: async () => {} };
  const { port, close } = await startDelayingProxy(Number(new URL(databaseUrl).port), milliseconds);
  return { url: Object.assign(new URL(databaseUrl), { port: String(port) }).href, close };
}

/** Makes the prompts, and the first answer of the tutor, which is then stored for the whole class. */
async function prepare(
  base: string,
  sentBy: SentBy,
  classroom: Classroom,
  databaseUrl: string,
): Promise<void> {
  const operations = operationsOn(classroom);
  const asAdmin = operations.find((one) => one.asAdmin);
  const answered = operations.find(({ name }) => name.startsWith("stored answer"));
  if (!asAdmin || !answered) throw new Error("the operations that are prepared are gone");
  for (const prompt of prompts) {
    const request = () => ({ method: "POST" as const, path: "/prompts/", body: prompt });
    await ask(base, sentBy({ ...asAdmin, request })(0));
  }
  await ask(base, sentBy(answered)(0));
  await lengthenAnswers(databaseUrl, classroom);
}

async function ask(base: string, { path, ...init }: Sent): Promise<string> {
  const response = await fetch(base + path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return text;
}

/** Another server on this database: it is told how to reach it, and waited for. */
async function waitFor(base: string, { DATABASE_URL, SECRET_KEY }: Record<string, string>): Promise<string> {
  console.log(`start ${base} with DATABASE_URL=${DATABASE_URL} and SECRET_KEY="${SECRET_KEY}"`);
  for (let second = 0; second < 300; second += 1) {
    const isThere = await fetch(base).then(
      () => true,
      () => false,
    );
    if (isThere) return base;
    await sleep(1000);
  }
  throw new Error(`${base} did not start`);
}

/** Throws unless both answer the same, or where what they do differs each time, things of the same shape. */
async function expectAlike({ ours, other }: Pair, operation: LoadedOperation, sent: Sent): Promise<void> {
  const [one, another] = [await ask(ours, sent), await ask(other, sent)].map(parsed);
  const isAlike = operation.alike ? isDeepStrictEqual(one, another) : shapeOf(one) === shapeOf(another);
  if (isAlike) return;
  const [found, expected] = [one, another].map((answer) => JSON.stringify(answer)?.slice(0, 600));
  throw new Error(`${operation.name}: the servers answer differently:\n${found}\n${expected}`);
}

/** JSON, or the events of a stream. */
const parsed = (text: string): unknown =>
  text.startsWith("data: ")
    ? text
        .split("\n\n")
        .filter(Boolean)
        .map((event) => JSON.parse(event.slice("data: ".length)))
    : JSON.parse(text);

const shapeOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(shapeOf).join()}]`;
  if (typeof value !== "object" || value === null) return typeof value;
  return `{${Object.entries(value).map(([key, one]) => `${key}:${shapeOf(one)}`)}}`;
};

async function compareOn(
  pair: Pair,
  operation: LoadedOperation,
  sentBy: SentBy,
  flags: BenchFlags,
): Promise<Verdict[]> {
  const sent = sentBy(operation);
  await expectAlike(pair, operation, sent(0));
  const crowds = flags.quick ? operation.crowds.slice(1, 2) : operation.crowds;
  const verdicts: Verdict[] = [];
  for (const crowd of crowds) verdicts.push(await compareCrowd(pair, operation, crowd, sent, flags));
  return verdicts;
}

async function compareCrowd(
  { ours, other, otherName }: Pair,
  { name, goal, crowds }: LoadedOperation,
  crowd: number,
  sent: (one: number) => Sent,
  flags: BenchFlags,
): Promise<Verdict> {
  const [rounds, seconds] = flags.quick ? [1, 2] : [5, 3];
  const found: Record<"ours" | "other", Borne[]> = { ours: [], other: [] };
  for (const base of [ours, other]) await load(base, { seconds: 1, crowd }, sent);
  for (let round = 0; round < rounds; round += 1) {
    found.ours.push(await load(ours, { seconds, crowd }, sent));
    found.other.push(await load(other, { seconds, crowd }, sent));
  }
  const [our, its] = [together(found.ours), together(found.other)];
  const ratio = our.perSecond / its.perSecond;
  const slower = our.p99 / its.p99;
  const isJudged = crowd !== crowds[0] && !flags.compare;
  return {
    what: `${name}, ${crowd} at once`,
    found:
      `${ratio.toFixed(2)} of ${otherName} (${our.perSecond.toFixed(0)}/s against ${its.perSecond.toFixed(0)}/s), ` +
      `median ${our.median.toFixed(1)} ms against ${its.median.toFixed(1)}, ` +
      `p99 ${slower.toFixed(1)} times (${our.p99.toFixed(1)} ms against ${its.p99.toFixed(1)}), ` +
      `errors ${our.errors} against ${its.errors}`,
    promised: isJudged ? `at least ${goal}, p99 at most 2 times, no error` : "no error",
    reached: our.errors + its.errors === 0 && (!isJudged || (ratio >= goal && slower <= 2)),
  };
}
