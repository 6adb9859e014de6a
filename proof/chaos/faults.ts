import { setTimeout as sleep } from "node:timers/promises";
import { interfere } from "./instructor.ts";
import type { Dice } from "./rng.ts";
import type { Stage } from "./stage.ts";

type Fault = {
  name: string;
  /** One of them every so many seconds, about. */
  everySeconds: number;
  /** Whether it was possible. */
  cause: (stage: Stage, dice: Dice) => Promise<boolean>;
};

const faults: Fault[] = [
  { name: "kills", everySeconds: 2.5, cause: ({ servers }, dice) => servers.kill(dice) },
  // A maker's lease lasts 2.25 seconds, a listener's 9.
  {
    name: "freezes",
    everySeconds: 8,
    cause: ({ servers }, dice) =>
      servers.freeze(dice, 1000 * (dice.chance(0.5) ? dice.between(2.5, 5) : dice.between(9.5, 12))),
  },
  {
    name: "restarts of the LLM",
    everySeconds: 25,
    cause: ({ llm }, dice) => done(llm.restart(dice.between(100, 1500))),
  },
  {
    name: "restarts of the database",
    everySeconds: 30,
    cause: ({ database }, dice) =>
      done(database.restart(dice.chance(0.8) ? dice.between(0, 1500) : dice.between(5000, 7000))),
  },
  {
    name: "interferences of instructors",
    everySeconds: 2,
    cause: (stage, dice) => done(interfere(stage, dice.pick(stage.campus.topics), dice)),
  },
];

const done = async (work: Promise<void>): Promise<true> => {
  await work;
  return true;
};

/** Causes faults of every kind until the signal; resolves when all of them are over, and everything runs again. */
export async function causeFaults(stage: Stage, signal: AbortSignal): Promise<void> {
  await Promise.all(faults.map((fault) => repeat(stage, fault, signal)));
}

async function repeat(
  stage: Stage,
  { name, everySeconds, cause }: Fault,
  signal: AbortSignal,
): Promise<void> {
  const dice = stage.dice.for(name);
  const underWay: Promise<void>[] = [];
  const one = async () => {
    if (await cause(stage, dice)) stage.ledger.count(name);
  };
  for (;;) {
    await sleep(everySeconds * 1000 * dice.between(0.5, 1.5), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    // One at a time of those that take something away as a whole.
    if (name.startsWith("restarts")) await one();
    else underWay.push(one());
  }
  await Promise.all(underWay);
}
