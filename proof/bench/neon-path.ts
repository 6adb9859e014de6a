import { startNeonProxyStandIn } from "../../tests/support/neon-proxy-stand-in.ts";
import { prepareClassroomLoadTest } from "./baseline/environment.ts";
import type { BenchmarkedOperation } from "./baseline/operations.ts";
import { loadTestServersAlternately, type ServerMeasurement } from "./baseline/rounds.ts";
import type { BenchEnvironment } from "./environment.ts";
import type { BenchVerdict } from "./report.ts";

/** Allowed multiple of the database's time over TCP, for a path that differs only in transport. */
const maxTimesTcpDuration = 1.5;

const pace = { rounds: 3, seconds: 2 };

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
    return verdicts;
  } finally {
    await baseline.close();
    await proxy.close();
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
