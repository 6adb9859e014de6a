import { startNeonProxyStandIn } from "../../tests/support/neon-proxy-stand-in.ts";
import {
  type ClassroomLoadTest,
  fetchResponseText,
  prepareClassroomLoadTest,
} from "./baseline/environment.ts";
import type { BenchmarkedOperation } from "./baseline/operations.ts";
import { loadTestServersAlternately, type ServerMeasurement } from "./baseline/rounds.ts";
import { startDelayingProxy } from "./delaying-proxy.ts";
import type { BenchEnvironment } from "./environment.ts";
import { median } from "./measure.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

/** Allowed multiple of the database's time over TCP, for a path that differs only in transport. */
const maxTimesTcpDuration = 1.5;

const pace = { rounds: 3, seconds: 2 };

/** Between a function and Neon in one region. */
const roundTripMs = 2;

/** Of each operation; the requests before them name its statements. */
const countedRequests = { before: 4, counted: 50 };

/** Of operations that take more than one. */
const maxTurns: Readonly<Record<string, number>> = { "login (cost 12)": 2 };

/** Requests of a learner's visit that `buildBenchmarkedOperations` lacks. */
const further = { home: "/users/me/home", notifications: "/users/me/notifications" };

const ofVisit = ["users/me", "my-enrollments", "progress/content", "stored answer"];

/**
 * Costs of a visit on a function's path to Neon: two WebSocket connections, with and without named
 * statements, compared with TCP. Requests run one after the other, as in a function.
 */
export async function benchVisitOverNeonProxy(stage: BenchEnvironment): Promise<BenchVerdict[]> {
  const baseline = await prepareClassroomLoadTest(stage);
  const proxy = await startNeonProxyStandIn(Number(new URL(stage.databaseUrl).port));
  try {
    const tcp = { DATABASE_POOL_SIZE: "2" };
    const named = { ...tcp, NEON_LOCAL_PROXY: proxy.address };
    const servers = {
      tcp: await baseline.startOurs(tcp),
      named: await baseline.startOurs(named),
      unnamed: await baseline.startOurs({ ...named, DATABASE_PREPARED_STATEMENTS: "false" }),
    };
    const verdicts: BenchVerdict[] = [];
    for (const operation of visit(baseline.operations)) {
      const sending = { sent: baseline.sentBy(operation), postmaster: stage.postmaster };
      verdicts.push(verdictOf(operation.name, await loadTestServersAlternately(servers, pace, 1, sending)));
    }
    return [...verdicts, ...(await countTrafficAtDistance(baseline, proxy.address))];
  } finally {
    await baseline.close();
    await proxy.close();
  }
}

/** Turns, bytes and time of each operation, with Neon some distance away. */
async function countTrafficAtDistance(
  { operations, sentBy, startOurs }: ClassroomLoadTest,
  neonProxy: string,
): Promise<BenchVerdict[]> {
  const { port, traffic, close } = await startDelayingProxy(Number(neonProxy.split(":")[1]), roundTripMs);
  try {
    const { url } = await startOurs({ DATABASE_POOL_SIZE: "2", NEON_LOCAL_PROXY: `127.0.0.1:${port}` });
    const verdicts: BenchVerdict[] = [];
    for (const operation of operations) {
      const request = sentBy(operation)(0);
      for (let at = 0; at < countedRequests.before; at += 1) await fetchResponseText(url, request);
      const before = traffic();
      const times: number[] = [];
      for (let at = 0; at < countedRequests.counted; at += 1) {
        const began = performance.now();
        await fetchResponseText(url, request);
        times.push(performance.now() - began);
      }
      const after = traffic();
      const each = (name: keyof typeof after) => (after[name] - before[name]) / countedRequests.counted;
      // What the server sends in the background is a few turns in all.
      const turns = Math.round(each("turns"));
      const verdict = upperLimitVerdict(operation.name, turns, maxTurns[operation.name] ?? 1, "turns");
      const bytes = `${Math.round(each("sentBytes"))} bytes sent, ${Math.round(each("receivedBytes"))} received`;
      verdicts.push({
        ...verdict,
        what: `${operation.name}, ${roundTripMs} ms away`,
        found: `${verdict.found} (${bytes}, median ${median(times).toFixed(1)} ms)`,
      });
    }
    return verdicts;
  } finally {
    await close();
  }
}

function visit(operations: readonly BenchmarkedOperation[]): BenchmarkedOperation[] {
  const known = operations.filter(({ name }) => ofVisit.some((one) => name.startsWith(one)));
  const [first] = known;
  if (!first || known.length < ofVisit.length) throw new Error("the operations of a visit do not exist");
  const reads = Object.entries(further).map(([name, path]) => ({
    ...first,
    name,
    request: () => ({ method: "GET" as const, path }),
  }));
  return [...known, ...reads];
}

type Paths = Record<"tcp" | "named" | "unnamed", ServerMeasurement>;

function verdictOf(name: string, { tcp, named, unnamed }: Paths): BenchVerdict {
  const times = named.database / tcp.database;
  const cost = ({ database, process }: ServerMeasurement) =>
    `${database.toFixed(2)} and ${process.toFixed(2)} ms`;
  const errors = tcp.errors + named.errors + unnamed.errors;
  return {
    what: `${name}, by WebSocket`,
    found: `${times.toFixed(2)} times the database's part by TCP (database and process: ${cost(named)}, without names ${cost(unnamed)}, by TCP ${cost(tcp)}; ${errors} errors)`,
    promised: `at most ${maxTimesTcpDuration}, no errors`,
    reached: times <= maxTimesTcpDuration && errors === 0,
  };
}
