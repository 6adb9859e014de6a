import { setTimeout as sleep } from "node:timers/promises";
import type { BenchVerdict } from "../report.ts";
import type { TimedResponse } from "./http-client.ts";

/** The limit of others' waiting time: a multiple of the quiet time, or milliseconds, if that is more. */
type Bound = { times: number; milliseconds: number };

/** A user with a repeated request, and its waiting time in milliseconds. */
export type BystanderProbe = { name: string; bound: Bound; wait(): Promise<number> };

export type FloodScenario = {
  name: string;
  /** Each starts at this interval, even if the last request is still running. */
  others: (BystanderProbe & { everyMs: number })[];
  /** Asked once, right after the flood. */
  afterwards?: BystanderProbe;
  /** Floods until the signal aborts, and reports each response's status. */
  run(isOver: AbortSignal, tell: (status: number) => void): Promise<void>;
};

/** Quiet and flooded rounds alternate. A flood lasts until `isEnough` of its responses arrived. */
export type FloodSchedule = {
  rounds: number;
  seconds: number;
  isEnough?: (answers: Readonly<Record<number, number>>) => boolean;
};

export const defaultFloodSchedule: FloodSchedule = { rounds: 2, seconds: 4 };

/** Waiting times in milliseconds. */
export type BystanderWaits = BystanderProbe & { quiet: number[]; flooded: number[] };

export type FloodMeasurement = {
  name: string;
  waited: BystanderWaits[];
  answers: Record<number, number>;
};

/** Time until a flood has fully started and has loaded the modules that it needs. */
const risingMs = 1000;

/** Waiting times of others without and with a flood. */
export async function measureBystanderWaitsDuringFlood(
  flood: FloodScenario,
  { rounds, seconds, isEnough = () => true }: FloodSchedule,
): Promise<FloodMeasurement> {
  const others = flood.others.map((one) => ({ ...one, quiet: [] as number[], flooded: [] as number[] }));
  const afterwards = flood.afterwards && {
    ...flood.afterwards,
    quiet: [] as number[],
    flooded: [] as number[],
  };
  const answers: Record<number, number> = {};
  const tell = (status: number) => {
    answers[status] = (answers[status] ?? 0) + 1;
  };
  const during = (times: "quiet" | "flooded") =>
    Promise.all(others.map(async (one) => one[times].push(...(await waits(one, seconds)))));

  // Opens connections and fills caches.
  for (const { wait } of others) await wait();
  for (let round = 0; round < rounds; round += 1) {
    await during("quiet");
    if (afterwards) afterwards.quiet.push(await afterwards.wait());
    const over = new AbortController();
    const ended = flood.run(over.signal, tell);
    ended.catch(() => {}); // Reported below.
    try {
      await sleep(risingMs);
      await during("flooded");
      while (!isEnough(answers)) await Promise.race([sleep(risingMs), ended]);
    } finally {
      over.abort();
    }
    if (afterwards) afterwards.flooded.push(await afterwards.wait());
    await ended;
  }
  return { name: flood.name, waited: [...others, ...(afterwards ? [afterwards] : [])], answers };
}

async function waits({ wait, everyMs }: { wait(): Promise<number>; everyMs: number }, seconds: number) {
  const until = performance.now() + seconds * 1000;
  const begun: Promise<number>[] = [];
  while (performance.now() < until) {
    const pause = sleep(everyMs);
    const one = wait();
    one.catch(() => {}); // Reported below.
    begun.push(one);
    await pause;
  }
  return Promise.all(begun);
}

/** Of few values, the largest. */
export function percentile99(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN;
}

export const floodVerdicts = ({ name, waited }: FloodMeasurement): BenchVerdict[] =>
  waited.map(({ name: other, bound, quiet, flooded }) => {
    const [before, meanwhile] = [percentile99(quiet), percentile99(flooded)];
    const most = Math.max(bound.milliseconds, bound.times * before);
    return {
      what: `${name}: ${other}`,
      found: `p99 ${meanwhile.toFixed(0)} ms, ${before.toFixed(0)} ms when it is quiet`,
      promised: `at most ${bound.times} times, or ${bound.milliseconds} ms`,
      reached: meanwhile <= most,
    };
  });

/** Maximum pause of a flood, even if Retry-After is longer. */
const refusedMs = 100;

/** Repeats until the signal aborts, with a pause after each rejection. */
export async function repeatRequestsUntilAborted(
  isOver: AbortSignal,
  tell: (status: number) => void,
  send: () => Promise<TimedResponse>,
): Promise<void> {
  while (!isOver.aborted) {
    const reply = await send().catch((error) => {
      if (isOver.aborted) return undefined;
      throw error;
    });
    if (!reply) return;
    tell(reply.status);
    if (reply.status >= 400) await sleep(refusedMs);
  }
}
