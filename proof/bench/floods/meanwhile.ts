import { setTimeout as sleep } from "node:timers/promises";
import type { Verdict } from "../report.ts";
import type { Reply } from "./caller.ts";

/** What others may have to wait: so many times as long as while nobody floods, or so many milliseconds, whichever is more. */
type Bound = { times: number; milliseconds: number };

/** Someone who wants the same again and again, and how many milliseconds they wait for it. */
export type Other = { name: string; bound: Bound; wait(): Promise<number> };

/** Who floods the service, and who else wants something of it. */
export type Flood = {
  name: string;
  /** Each begins once in so many milliseconds, whether or not the last has been answered. */
  others: (Other & { everyMs: number })[];
  /** What is asked once when the flood has just ended. */
  afterwards?: Other;
  /** Floods until the signal, and tells the status of each answer. */
  run(isOver: AbortSignal, tell: (status: number) => void): Promise<void>;
};

/** A quiet and a flooded round follow each other. A flood goes on until `isEnough` of its answers have come. */
export type Pace = {
  rounds: number;
  seconds: number;
  isEnough?: (answers: Readonly<Record<number, number>>) => boolean;
};

export const usualPace: Pace = { rounds: 2, seconds: 4 };

/** What somebody waited, in milliseconds. */
export type Waited = Other & { quiet: number[]; flooded: number[] };

export type Meanwhile = {
  name: string;
  waited: Waited[];
  /** How often the flood was answered with each status. */
  answers: Record<number, number>;
};

/** As long as a flood takes until all of it has been sent. */
const risingMs = 500;

/** What others wait while nobody floods, and while somebody does. */
export async function meanwhile(
  flood: Flood,
  { rounds, seconds, isEnough = () => true }: Pace,
): Promise<Meanwhile> {
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

  // Connections are opened, and what is made by the first who asks is made.
  for (const { wait } of others) await wait();
  for (let round = 0; round < rounds; round += 1) {
    await during("quiet");
    if (afterwards) afterwards.quiet.push(await afterwards.wait());
    const over = new AbortController();
    const ended = flood.run(over.signal, tell);
    ended.catch(() => {}); // It is told below.
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
    one.catch(() => {}); // It is told below.
    begun.push(one);
    await pause;
  }
  return Promise.all(begun);
}

/** Of few the longest. */
export function percentile99(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN;
}

export const verdictsOf = ({ name, waited }: Meanwhile): Verdict[] =>
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

/** A flood waits for no longer than this, whatever a refusal asks for. */
const refusedMs = 100;

/** Does something again and again until the signal; after a refusal a moment later. */
export async function againAndAgain(
  isOver: AbortSignal,
  tell: (status: number) => void,
  send: () => Promise<Reply>,
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
