import { median } from "../measure.ts";
import { type ProcessorTime, processorTime } from "../processor-time.ts";
import { type LoadResult, type Round, runLoad, type Sent } from "./load.ts";
import type { Server } from "./stage.ts";

/** A server's results and CPU milliseconds per request. */
export type Measured = LoadResult & ProcessorTime;

/** Number and duration of the alternating rounds. */
export type Pace = { rounds: number; seconds: number };

export const usualPace: Pace = { rounds: 5, seconds: 3 };
export const quickPace: Pace = { rounds: 1, seconds: 2 };

/**
 * Loads servers alternately, after a second of warm-up. Returns the medians of each, and the errors of all
 * rounds.
 */
export async function alternateRounds<Name extends string>(
  servers: Record<Name, Server>,
  { rounds, seconds }: Pace,
  crowd: number,
  { sent, postmaster }: { sent: (one: number) => Sent; postmaster: number },
): Promise<Record<Name, Measured>> {
  const all = Object.entries<Server>(servers).map(([name, server]) => ({
    name,
    server,
    found: [] as Measured[],
  }));
  for (const { server } of all) await runLoad(server.url, { seconds: 1, crowd }, sent);
  for (let round = 0; round < rounds; round += 1)
    for (const { server, found } of all)
      found.push(await measured(server, postmaster, { seconds, crowd }, sent));
  return Object.fromEntries(all.map(({ name, found }) => [name, together(found)])) as Record<Name, Measured>;
}

async function measured(
  { url, pid }: Server,
  postmaster: number,
  round: Round,
  sent: (one: number) => Sent,
): Promise<Measured> {
  const before = await processorTime(pid, postmaster);
  const borne = await runLoad(url, round, sent);
  const after = await processorTime(pid, postmaster);
  return {
    ...borne,
    process: (after.process - before.process) / borne.requests,
    database: (after.database - before.database) / borne.requests,
  };
}

const counts = ["requests", "perSecond", "median", "p99", "process", "database"] as const;

function together(rounds: readonly Measured[]): Measured {
  const medians = counts.map((name) => [name, median(rounds.map((one) => one[name]))] as const);
  const errors = rounds.reduce((sum, one) => sum + one.errors, 0);
  return { ...(Object.fromEntries(medians) as Record<(typeof counts)[number], number>), errors };
}
