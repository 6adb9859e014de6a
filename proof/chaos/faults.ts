import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosEnvironment } from "./environment.ts";
import { makeRandomInstructorChange } from "./instructor.ts";
import type { SeededRandom } from "./rng.ts";

type Fault = {
  name: string;
  everySeconds: number;
  /** Returns whether the fault was possible. */
  cause: (stage: ChaosEnvironment, rng: SeededRandom) => Promise<boolean>;
};

const faults: Fault[] = [
  { name: "kills", everySeconds: 2.5, cause: ({ servers }, rng) => servers.kill(rng) },
  // A producer's lease lasts 2.25 seconds, a subscriber's 9.
  {
    name: "freezes",
    everySeconds: 8,
    cause: ({ servers }, rng) =>
      servers.freeze(rng, 1000 * (rng.chance(0.5) ? rng.between(2.5, 5) : rng.between(9.5, 12))),
  },
  {
    name: "restarts of the LLM",
    everySeconds: 25,
    cause: ({ llm }, rng) => done(llm.restart(rng.between(100, 1500))),
  },
  {
    name: "restarts of the database",
    everySeconds: 30,
    cause: ({ database }, rng) =>
      done(database.restart(rng.chance(0.8) ? rng.between(0, 1500) : rng.between(5000, 7000))),
  },
  {
    name: "interferences of instructors",
    everySeconds: 1,
    cause: (stage, rng) => done(makeRandomInstructorChange(stage, rng.pick(stage.university.topics), rng)),
  },
];

const done = async (work: Promise<void>): Promise<true> => {
  await work;
  return true;
};

/**
 * Causes all kinds of faults until the signal aborts; resolves when all are over and everything runs again.
 */
export async function injectFaultsUntilStopped(stage: ChaosEnvironment, signal: AbortSignal): Promise<void> {
  await Promise.all(faults.map((fault) => repeat(stage, fault, signal)));
}

async function repeat(
  stage: ChaosEnvironment,
  { name, everySeconds, cause }: Fault,
  signal: AbortSignal,
): Promise<void> {
  const rng = stage.rng.for(name);
  const underWay: Promise<void>[] = [];
  const one = async () => {
    if (await cause(stage, rng)) stage.ledger.count(name);
  };
  for (;;) {
    await sleep(everySeconds * 1000 * rng.between(0.5, 1.5), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    // Restarts of a dependency run one at a time.
    if (name.startsWith("restarts")) await one();
    else underWay.push(one());
  }
  await Promise.all(underWay);
}
