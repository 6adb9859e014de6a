import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  folderOf,
  gatewayPathOfEvent,
  type PackagedService,
  packageService,
  unpackFunction,
} from "../../scripts/build/package-service.ts";
import { type RuntimeFunction, startFunction } from "../../tests/processes/runtime-function.ts";
import { gatewayAnswer, gatewayEvent } from "../../tests/support/gateway.ts";
import { type ClassroomLoadTest, prepareClassroomLoadTest } from "./baseline/environment.ts";
import type { RepeatedRequest } from "./baseline/load.ts";
import { readCumulativeCpuMs } from "./cpu-time.ts";
import type { BenchEnvironment } from "./environment.ts";
import { peakResidentMegabytes } from "./private-streams.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

/** Megabytes at which Lambda gives a function one whole processor. Fewer give that share of one. */
const megabytesOfOneProcessor = 1769;
const memorySizes = [512, 1024, megabytesOfOneProcessor];

/** `most` is in milliseconds of a processor, from the start of Node to the end of the first request. */
const measured = [
  { name: "users", operation: "users/me", most: 400 },
  { name: "chat", operation: "stored answer", most: 500 },
];

/** Milliseconds of a processor, of any function. */
const mostOfAnyStart = 500;

/** Processor time of a process after its first 500 requests, as a multiple of a warm one's. */
const mostOfWarm = 1.3;
const requestsOfStart = 500;
const requestsUntilWarm = 10_000;

type ColdStart = {
  name: string;
  /** Milliseconds of a processor: Node and the function's modules, then the first request. */
  init: number;
  first: number;
  /** The same per request: of the 500 after the first, of the 500 after these, and of 500 in a warm process. */
  fresh: number;
  after: number;
  warm: number;
  peakMegabytes: number;
};

/**
 * Starts packaged functions under AWS's runtime interface client, and counts the processor time until the first
 * answer, of the first 500 requests, and of later ones. Lambda's time is longer by the share of a processor that the memory buys.
 */
export async function benchLambdaColdStart(stage: BenchEnvironment): Promise<BenchVerdict[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-cold-"));
  const room = await prepareClassroomLoadTest(stage);
  try {
    console.log("Packaging …");
    const packaged = await packageService(folder);
    const verdicts: BenchVerdict[] = [];
    for (const { name, operation, most } of measured) {
      const found = await measureColdStart(room, packaged, name, requestOf(room, operation));
      verdicts.push(...verdictsOn(operation, most, found));
    }
    verdicts.push(...(await startEveryFunction(room, packaged)));
    return verdicts;
  } finally {
    await room.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function requestOf(
  { operations, sentBy }: ClassroomLoadTest,
  name: string,
): (one: number) => RepeatedRequest {
  const operation = operations.find((one) => one.name.startsWith(name));
  if (!operation) throw new Error(`${name} is not measured`);
  return sentBy(operation);
}

async function measureColdStart(
  room: ClassroomLoadTest,
  packaged: PackagedService,
  name: string,
  request: (one: number) => RepeatedRequest,
): Promise<ColdStart> {
  const running = await startPackaged(room, packaged, name);
  try {
    const spent = async () => (await readCumulativeCpuMs(running.pid, room.postmaster)).process;
    const during = async (first: number, count: number) => {
      const before = await spent();
      for (let at = first; at < first + count; at += 1) await send(running, request(at));
      return ((await spent()) - before) / count;
    };
    const warmUp = () => during(1 + 2 * requestsOfStart, requestsUntilWarm - 1 - 2 * requestsOfStart);
    return {
      name,
      init: await spent(),
      first: await during(0, 1),
      fresh: await during(1, requestsOfStart),
      after: await during(1 + requestsOfStart, requestsOfStart),
      warm: await warmUp().then(() => during(requestsUntilWarm, requestsOfStart)),
      peakMegabytes: await peakResidentMegabytes(running.pid),
    };
  } finally {
    await running.stop();
  }
}

async function startPackaged({ settings }: ClassroomLoadTest, packaged: PackagedService, name: string) {
  const { DATABASE_URL, SECRET_KEY, DIRECT_API_KEY, DIRECT_API_BASE_URL = "" } = settings;
  return startFunction({
    folder: await unpackFunction(packaged, name),
    handler: `${folderOf(packaged, name)}/handler.handler`,
    environment: {
      ...packaged.service.provider.environment,
      // In the template these are references to its buckets and role.
      ...{ FILE_STORE: "s3://measured?region=eu-west-2", CLOUD_BATCH_BUCKET: "", CLOUD_BATCH_ROLE_ARN: "" },
      SECRET_SETTINGS: JSON.stringify({ DATABASE_URL, SECRET_KEY, DIRECT_API_KEY }),
      ...{ LLM_PROVIDER: "direct_api", DIRECT_API_BASE_URL },
    },
  });
}

/** Starts each function; those of the gateway also answer one request without a token. */
async function startEveryFunction(
  room: ClassroomLoadTest,
  packaged: PackagedService,
): Promise<BenchVerdict[]> {
  const verdicts: BenchVerdict[] = [];
  for (const [name, { events }] of Object.entries(packaged.service.functions)) {
    const running = await startPackaged(room, packaged, name);
    try {
      const path = events.map(gatewayPathOfEvent).find((one) => one !== undefined);
      if (path)
        await running.invoke(gatewayEvent({ method: "GET", path: path.replaceAll(/\{[^}]+\}/g, "1") }));
      const { process } = await readCumulativeCpuMs(running.pid, room.postmaster);
      const verdict = upperLimitVerdict(`start of ${name}`, process, mostOfAnyStart, "ms");
      const megabytes = Math.round(await peakResidentMegabytes(running.pid));
      verdicts.push({ ...verdict, found: `${verdict.found} (${shownSeconds(process)}; ${megabytes} MB)` });
    } finally {
      await running.stop();
    }
  }
  return verdicts;
}

async function send(to: RuntimeFunction, { method, path, headers, body }: RepeatedRequest): Promise<void> {
  const answer = gatewayAnswer(
    await to.invoke(gatewayEvent({ method, path, headers, ...(body && { body }) })),
  );
  if (answer.status >= 400) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
}

const perRequest = (ms: number): string => ms.toFixed(2);

const shownSeconds = (ms: number): string =>
  memorySizes
    .map((size) => `${((ms * megabytesOfOneProcessor) / size / 1000).toFixed(2)} s at ${size} MB`)
    .join(", ");

function verdictsOn(
  what: string,
  most: number,
  { name, init, first, fresh, after, warm, peakMegabytes }: ColdStart,
) {
  const until = upperLimitVerdict(`${what}: start and first request`, init + first, most, "ms");
  const ratio = upperLimitVerdict(
    `${what}: after ${requestsOfStart} requests`,
    after / warm,
    mostOfWarm,
    "times",
  );
  return [
    {
      ...until,
      found: `${until.found} (${Math.round(init)} + ${Math.round(first)}; ${shownSeconds(init + first)})`,
    },
    {
      ...ratio,
      found: `${ratio.found} (${perRequest(after)} against ${perRequest(warm)} ms; the first ${requestsOfStart}: ${perRequest(fresh)} ms)`,
    },
    upperLimitVerdict(
      `${what}: memory of the function ${name}`,
      Math.round(peakMegabytes),
      memorySizes[0] ?? 0,
      "MB",
    ),
  ];
}
