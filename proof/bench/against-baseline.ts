import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClassroomLoadTest,
  prepareClassroomLoadTest,
  type ServerUrlAndPid,
} from "./baseline/environment.ts";
import { expectEqualResponses } from "./baseline/equal-responses.ts";
import type { BenchmarkedOperation } from "./baseline/operations.ts";
import {
  defaultRoundSchedule,
  loadTestServersAlternately,
  quickRoundSchedule,
  type RoundSchedule,
  type ServerMeasurement,
} from "./baseline/rounds.ts";
import type { BenchEnvironment } from "./environment.ts";
import type { BenchFlags } from "./flags.ts";
import type { BenchVerdict } from "./report.ts";

/** Measurements of both servers for an operation with that many concurrent clients. */
export type BaselineComparison = {
  operation: BenchmarkedOperation;
  crowd: number;
  ours: ServerMeasurement;
  other: ServerMeasurement;
};

/**
 * Compares requests per second, medians and 99th percentiles with the baseline, in alternating rounds. The
 * baseline is a bare server with one named statement per operation. Checks first that both return the same.
 */
export async function benchAgainstBaseline(
  bench: BenchEnvironment,
  flags: BenchFlags,
): Promise<BenchVerdict[]> {
  const stage = await prepareClassroomLoadTest(bench);
  const settings = {
    ...(flags["no-access-log"] && { ENABLE_ACCESS_LOG: "false" }),
    ...(flags["no-metrics"] && { ENABLE_METRICS: "false" }),
    ...(flags["no-tracing"] && { OBS_HOST: "" }),
    ...(await stage.away(Number(flags.latency ?? 0))),
  };
  const ours = await stage.startOurs(settings);
  const other = flags.compare
    ? await waitFor(flags.compare, { ...stage.settings, ...settings })
    : await stage.startBaseline(settings);
  const pace = flags.quick ? quickRoundSchedule : defaultRoundSchedule;
  const wanted = stage.operations.filter(({ name }) => name.includes(flags.only ?? ""));
  const crowdsOf = ({ crowds }: BenchmarkedOperation) => (flags.quick ? crowds.slice(1, 2) : crowds);
  const found = await loadTestAndCompareServers(stage, [ours, other], wanted, crowdsOf, pace);
  await stage.close();
  return found.map((one) => verdictOn(one, flags.compare));
}

/** Compares two servers on each operation, for each crowd. */
export async function loadTestAndCompareServers(
  { sentBy, postmaster }: ClassroomLoadTest,
  [ours, other]: readonly [ours: ServerUrlAndPid, other: ServerUrlAndPid],
  operations: readonly BenchmarkedOperation[],
  crowdsOf: (operation: BenchmarkedOperation) => readonly number[],
  pace: RoundSchedule,
): Promise<BaselineComparison[]> {
  const found: BaselineComparison[] = [];
  for (const operation of operations) {
    const sent = sentBy(operation);
    await expectEqualResponses([ours.url, other.url], operation, sent(0));
    for (const crowd of crowdsOf(operation))
      found.push({
        operation,
        crowd,
        ...(await loadTestServersAlternately({ ours, other }, pace, crowd, { sent, postmaster })),
      });
  }
  return found;
}

/**
 * Prints how another server reaches the database, and waits until it responds. Its CPU time is not measured.
 */
async function waitFor(
  url: string,
  { DATABASE_URL, SECRET_KEY }: Record<string, string>,
): Promise<ServerUrlAndPid> {
  console.log(`start ${url} with DATABASE_URL=${DATABASE_URL} and SECRET_KEY="${SECRET_KEY}"`);
  for (let second = 0; second < 300; second += 1) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isThere) return { url, pid: Number.NaN };
    await sleep(1000);
  }
  throw new Error(`${url} did not start`);
}

/** Our share of the other's requests per second, and our multiple of its 99th percentile. */
export const throughputAndP99Ratios = ({ ours, other }: BaselineComparison) => ({
  rate: ours.perSecond / other.perSecond,
  p99: ours.p99 / other.p99,
});

/** True if the goal is met. There is none for a single client, nor against another server. */
export function meetsBaselineGoal(compared: BaselineComparison): boolean {
  const { operation, crowd, ours, other } = compared;
  const { rate, p99 } = throughputAndP99Ratios(compared);
  if (ours.errors + other.errors > 0) return false;
  return crowd === operation.crowds[0] || (rate >= operation.goal && p99 <= 2);
}

function verdictOn(compared: BaselineComparison, against?: string): BenchVerdict {
  const { operation, crowd, ours, other } = compared;
  const { rate, p99 } = throughputAndP99Ratios(compared);
  const isJudged = crowd !== operation.crowds[0] && !against;
  return {
    what: `${operation.name}, ${crowd} at once`,
    found:
      `${rate.toFixed(2)} of ${against ?? "the baseline"} (${ours.perSecond.toFixed(0)}/s against ` +
      `${other.perSecond.toFixed(0)}/s), median ${ours.median.toFixed(1)} ms against ${other.median.toFixed(1)}, ` +
      `p99 ${p99.toFixed(1)} times (${ours.p99.toFixed(1)} ms against ${other.p99.toFixed(1)}), processor ` +
      `${processorOf(ours)} against ${processorOf(other)}, errors ${ours.errors} against ${other.errors}`,
    promised: isJudged ? `at least ${operation.goal}, p99 at most 2 times, no error` : "no error",
    reached: isJudged ? meetsBaselineGoal(compared) : ours.errors + other.errors === 0,
  };
}

const processorOf = ({ process, database }: ServerMeasurement): string =>
  `${process.toFixed(2)} + ${database.toFixed(2)} ms`;
