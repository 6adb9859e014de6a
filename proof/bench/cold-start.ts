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
import { median } from "./measure.ts";
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

/** Each verdict is on the median of so many processes. */
const startsOfFunction = 5;
/** A fresh and a warm process take turns of so many requests, so that both meet the same machine. */
const requestsOfTurn = 50;

type ColdStart = {
  /** Milliseconds of a processor: Node and the function's modules, then the first request. */
  init: number;
  first: number;
  /** The same per request: of the 500 after the first, of the 500 after these, and of a warm process meanwhile. */
  fresh: number;
  after: number;
  warm: number;
  peakMegabytes: number;
};

/** A running function. Each request goes to the next learner. */
type MeasuredFunction = {
  send(count: number): Promise<void>;
  /** Milliseconds of a processor so far. */
  spent(): Promise<number>;
  peakMegabytes(): Promise<number>;
  stop(): Promise<void>;
};

/**
 * Starts packaged functions under AWS's runtime interface client, and counts the processor time until the first
 * answer, of the first 500 requests, and of later ones beside a warm process. Lambda's time is longer by the share of a processor that the memory buys.
 */
export async function benchLambdaColdStart(stage: BenchEnvironment): Promise<BenchVerdict[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-cold-"));
  const room = await prepareClassroomLoadTest(stage);
  try {
    console.log("Packaging …");
    const packaged = await packageService(folder);
    const verdicts: BenchVerdict[] = [];
    for (const { name, operation, most } of measured) {
      const start = () => startMeasured(room, packaged, name, requestOf(room, operation));
      verdicts.push(...verdictsOn(operation, name, most, await measureColdStarts(start)));
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

async function measureColdStarts(start: () => Promise<MeasuredFunction>): Promise<ColdStart[]> {
  const warm = await start();
  try {
    await warm.send(requestsUntilWarm);
    const found: ColdStart[] = [];
    while (found.length < startsOfFunction) found.push(await measureColdStart(await start(), warm));
    return found;
  } finally {
    await warm.stop();
  }
}

async function measureColdStart(fresh: MeasuredFunction, warm: MeasuredFunction): Promise<ColdStart> {
  try {
    const init = await fresh.spent();
    await fresh.send(1);
    const untilFirst = await fresh.spent();
    await fresh.send(requestsOfStart);
    const [untilFresh, untilWarm] = [await fresh.spent(), await warm.spent()];
    for (let sent = 0; sent < requestsOfStart; sent += requestsOfTurn)
      for (const running of [fresh, warm]) await running.send(requestsOfTurn);
    return {
      init,
      first: untilFirst - init,
      fresh: (untilFresh - untilFirst) / requestsOfStart,
      after: ((await fresh.spent()) - untilFresh) / requestsOfStart,
      warm: ((await warm.spent()) - untilWarm) / requestsOfStart,
      peakMegabytes: await warm.peakMegabytes(),
    };
  } finally {
    await fresh.stop();
  }
}

async function startMeasured(
  room: ClassroomLoadTest,
  packaged: PackagedService,
  name: string,
  request: (one: number) => RepeatedRequest,
): Promise<MeasuredFunction> {
  const running = await startPackaged(room, packaged, name);
  const sent = { count: 0 };
  return {
    async send(count) {
      for (const until = sent.count + count; sent.count < until; sent.count += 1)
        await send(running, request(sent.count));
    },
    spent: async () => (await readCumulativeCpuMs(running.pid, room.postmaster)).process,
    peakMegabytes: () => peakResidentMegabytes(running.pid),
    stop: () => running.stop(),
  };
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

function verdictsOn(what: string, name: string, most: number, found: readonly ColdStart[]): BenchVerdict[] {
  const medianOf = (figure: (one: ColdStart) => number) => median(found.map(figure));
  const [init, first] = [medianOf((one) => one.init), medianOf((one) => one.first)];
  const [fresh, after, warm] = [
    medianOf((one) => one.fresh),
    medianOf((one) => one.after),
    medianOf((one) => one.warm),
  ];
  const until = upperLimitVerdict(`${what}: start and first request`, init + first, most, "ms");
  const ratios = found.map((one) => one.after / one.warm).toSorted((a, b) => a - b);
  const ratio = upperLimitVerdict(
    `${what}: after ${requestsOfStart} requests`,
    median(ratios),
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
      found: `${ratio.found} (${ratios.map((one) => one.toFixed(2)).join(", ")}; ${perRequest(after)} against ${perRequest(warm)} ms; the first ${requestsOfStart}: ${perRequest(fresh)} ms)`,
    },
    upperLimitVerdict(
      `${what}: memory of the function ${name}`,
      Math.round(medianOf((one) => one.peakMegabytes)),
      memorySizes[0] ?? 0,
      "MB",
    ),
  ];
}
