import { parseArgs } from "node:util";

export type ChaosFlags = { minutes: number; processes: number; learners: number; seed: number };

export const usage = `npm run chaos -- [--minutes 1] [--processes 3] [--learners 20] [--seed 1]

Has learners talk to the tutor through several server processes, while processes are killed and frozen, the LLM and
the database restart, and instructors purge and replace answers. Exits with 1 when anything was lost, doubled, stuck
or told wrong. The same seed chooses the same faults.`;

/** What the command line asks for; throws the usage for what it does not know. */
export function flagsOf(args: readonly string[]): ChaosFlags {
  const text = (value: string) => ({ type: "string" as const, default: value });
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { minutes: text("1"), processes: text("3"), learners: text("20"), seed: text("1") },
    });
    return {
      minutes: numberIn("minutes", values.minutes, 0.1, 60),
      processes: wholeIn("processes", values.processes, 1, 16),
      learners: wholeIn("learners", values.learners, 1, 500),
      seed: wholeIn("seed", values.seed, 0, 2 ** 31),
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

function numberIn(name: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value.trim() === "" || !(number >= least && number <= most))
    throw new Error(`--${name} is a number from ${least} to ${most}, not '${value}'`);
  return number;
}

function wholeIn(name: string, value: string, least: number, most: number): number {
  const number = numberIn(name, value, least, most);
  if (!Number.isInteger(number)) throw new Error(`--${name} is a whole number, not '${value}'`);
  return number;
}
