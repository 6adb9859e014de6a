import { readCumulativeCpuMs, type ServerAndDatabaseCpuMs } from "../cpu-time.ts";
import { median } from "../measure.ts";
import type { ServerUrlAndPid } from "./environment.ts";
import { type LoadResult, type LoadRoundSettings, loadTestServer, type RepeatedRequest } from "./load.ts";

/** A server's results and CPU milliseconds per request. */
export type ServerMeasurement = LoadResult & ServerAndDatabaseCpuMs;

/** Its requests may differ from those of the other servers. */
type LoadedServer = ServerUrlAndPid & { sent?: (one: number) => RepeatedRequest };

/** Number and duration of the alternating rounds. */
export type RoundSchedule = { rounds: number; seconds: number };

export const defaultRoundSchedule: RoundSchedule = { rounds: 5, seconds: 3 };
export const quickRoundSchedule: RoundSchedule = { rounds: 1, seconds: 2 };

/**
 * Loads servers alternately, after a second of warm-up. Returns the medians of each, and the errors of all
 * rounds.
 */
export async function loadTestServersAlternately<Name extends string>(
  servers: Record<Name, LoadedServer>,
  { rounds, seconds }: RoundSchedule,
  crowd: number,
  { sent, postmaster }: { sent: (one: number) => RepeatedRequest; postmaster: number },
): Promise<Record<Name, ServerMeasurement>> {
  const all = Object.entries<LoadedServer>(servers).map(([name, server]) => ({
    name,
    server,
    found: [] as ServerMeasurement[],
  }));
  for (const { server } of all) await loadTestServer(server.url, { seconds: 1, crowd }, server.sent ?? sent);
  for (let round = 0; round < rounds; round += 1)
    for (const { server, found } of all)
      found.push(await measured(server, postmaster, { seconds, crowd }, sent));
  return Object.fromEntries(all.map(({ name, found }) => [name, together(found)])) as Record<
    Name,
    ServerMeasurement
  >;
}

async function measured(
  server: LoadedServer,
  postmaster: number,
  round: LoadRoundSettings,
  sent: (one: number) => RepeatedRequest,
): Promise<ServerMeasurement> {
  const before = await readCumulativeCpuMs(server.pid, postmaster);
  const borne = await loadTestServer(server.url, round, server.sent ?? sent);
  const after = await readCumulativeCpuMs(server.pid, postmaster);
  return {
    ...borne,
    process: (after.process - before.process) / borne.requests,
    database: (after.database - before.database) / borne.requests,
  };
}

const counts = ["requests", "perSecond", "median", "p99", "process", "database"] as const;

function together(rounds: readonly ServerMeasurement[]): ServerMeasurement {
  const medians = counts.map((name) => [name, median(rounds.map((one) => one[name]))] as const);
  const errors = rounds.reduce((sum, one) => sum + one.errors, 0);
  return { ...(Object.fromEntries(medians) as Record<(typeof counts)[number], number>), errors };
}
