import { writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import path from "node:path";
import pg from "pg";
import {
  type BaselineComparison,
  loadTestAndCompareServers,
  meetsBaselineGoal,
  throughputAndP99Ratios,
} from "./against-baseline.ts";
import { prepareClassroomLoadTest } from "./baseline/environment.ts";
import { defaultRoundSchedule, quickRoundSchedule } from "./baseline/rounds.ts";
import { type OperationCpuCost, recordOperationCpuCosts } from "./costs.ts";
import type { BenchEnvironment } from "./environment.ts";
import { type MeasurementsWithoutEachFeature, measureOperationsWithoutEachFeature } from "./features.ts";
import { type FloodMeasurement, floodVerdicts, percentile99 } from "./floods/bystander-waits.ts";
import { measureFloods } from "./floods.ts";
import { median } from "./measure.ts";
import { measurePeakMegabytesOfStreams, privateStreamCount, streamMemoryVerdict } from "./private-streams.ts";
import type { BenchVerdict } from "./report.ts";

const root = path.resolve(import.meta.dirname, "../..");
const document = path.join(root, "docs/reference/measurements.md");

/** Milliseconds of network latency per round trip in the second table. */
const latency = 5;

/** Measures all values of docs/reference/measurements.md and writes them with each operation's cost. */
export async function measureAllAndWriteDocument(
  bench: BenchEnvironment,
  isQuick: boolean,
): Promise<BenchVerdict[]> {
  const stage = await prepareClassroomLoadTest(bench);
  const pace = isQuick ? quickRoundSchedule : defaultRoundSchedule;
  const near = await loadTestAndCompareServers(
    stage,
    [await stage.startOurs(), await stage.startBaseline()],
    stage.operations,
    ({ crowds }) => (isQuick ? crowds.slice(1, 2) : crowds),
    pace,
  );
  const away = await stage.away(latency);
  const far = await loadTestAndCompareServers(
    stage,
    [await stage.startOurs(away), await stage.startBaseline(away)],
    stage.operations.filter(({ crowds }) => crowds.includes(16)),
    () => (isQuick ? [16] : [1, 16]),
    pace,
  );
  const features = await measureOperationsWithoutEachFeature(stage, pace);
  const megabytes = isQuick ? undefined : await measurePeakMegabytesOfStreams(bench);
  const floods = isQuick ? [] : await measureFloods(bench);
  const machine = await machineOf(bench.databaseUrl);
  await stage.close();

  const tables = [machine, ...tablesOf({ near, far, features, megabytes, floods })].join("\n\n");
  await writeFile(document, `${heading}${tables}\n`);
  await recordOperationCpuCosts(costsOf(near));
  return [
    ...near.map((one) => ({
      what: `${one.operation.name}, ${one.crowd} at once`,
      found: `${throughputAndP99Ratios(one).rate.toFixed(2)} of the baseline, p99 ${throughputAndP99Ratios(one).p99.toFixed(1)} times`,
      promised: `at least ${one.operation.goal}, p99 at most 2 times, no error`,
      reached: meetsBaselineGoal(one),
    })),
    ...(megabytes === undefined ? [] : [streamMemoryVerdict(megabytes)]),
    ...floods.flatMap(floodVerdicts),
  ];
}

const heading = `# Measurements

After this page you know the measured speed of each operation relative to a bare \`node:http\` server.

\`npm run bench -- --write\` writes this page. [Performance](../performance.md) explains the figures: a pair is the service's and
the baseline's.

`;

async function machineOf(databaseUrl: string): Promise<string> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query("show server_version");
  await client.end();
  const all = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return (
    `Measured on ${date}: ${all.length} processors (${all[0]?.model.trim()}), ${gigabytes} GB, ` +
    `Node ${process.versions.node}, PostgreSQL ${rows[0].server_version}; both servers, the database and the load share them.`
  );
}

type Found = {
  near: BaselineComparison[];
  far: BaselineComparison[];
  features: MeasurementsWithoutEachFeature[];
  megabytes: number | undefined;
  floods: FloodMeasurement[];
};

const tablesOf = ({ near, far, features, megabytes, floods }: Found): string[] => [
  "## Against the baseline",
  comparison(near),
  `## With ${latency} ms on each round trip to the database`,
  comparison(far),
  "## What the features cost",
  table(
    ["operation, 16 concurrent", "ms of a processor", "of it access log", "metrics", "tracing"],
    features.map(({ name, whole, without }) => [
      name,
      whole.process.toFixed(2),
      ...[without["access log"], without.metrics, without.tracing].map((one) =>
        Math.max(0, whole.process - one.process).toFixed(2),
      ),
    ]),
  ),
  ...(megabytes === undefined
    ? []
    : [
        "## Memory",
        `${privateStreamCount} concurrent private streams: ${Math.round(megabytes)} MB resident at most, in one process.`,
      ]),
  ...(floods.length === 0 ? [] : ["## During a flood", waits(floods)]),
];

const waits = (floods: readonly FloodMeasurement[]): string =>
  table(
    ["flood", "what others wait for", "median ms", "p99 ms", "median ms when it is quiet", "p99 ms"],
    floods.flatMap(({ name, waited }) =>
      waited.map(({ name: other, quiet, flooded }) => {
        const times = [median(flooded), percentile99(flooded), median(quiet), percentile99(quiet)];
        return [name, other, ...times.map((milliseconds) => milliseconds.toFixed(0))];
      }),
    ),
  );

const comparison = (all: readonly BaselineComparison[]): string =>
  table(
    [
      "operation",
      "concurrent",
      "of the baseline",
      "goal",
      "requests/s",
      "median ms",
      "p99 ms",
      "ms of the process",
      "of the database",
      "errors",
    ],
    all.map((one) => {
      const { operation, crowd, ours, other } = one;
      const pair = (name: "median" | "p99" | "process" | "database", digits: number) =>
        `${ours[name].toFixed(digits)} / ${other[name].toFixed(digits)}`;
      return [
        operation.name,
        String(crowd),
        throughputAndP99Ratios(one).rate.toFixed(2),
        crowd === operation.crowds[0] ? "" : String(operation.goal),
        `${ours.perSecond.toFixed(0)} / ${other.perSecond.toFixed(0)}`,
        pair("median", 1),
        pair("p99", 1),
        pair("process", 2),
        pair("database", 2),
        String(ours.errors + other.errors),
      ];
    }),
  );

const table = (head: readonly string[], rows: readonly string[][]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const costsOf = (near: readonly BaselineComparison[]): Record<string, OperationCpuCost> =>
  Object.fromEntries(
    near
      .filter(({ operation, crowd }) => crowd === operation.crowds[1])
      .map(({ operation, ours }) => [
        operation.name,
        { process_ms: ours.process, database_ms: ours.database },
      ]),
  );
