import { commandLine, numberIn, wholeIn } from "../../scripts/command-line.ts";

export type ChaosFlags = { minutes: number; processes: number; learners: number; seed: number };

const usage = `npm run chaos -- [--minutes 1] [--processes 3] [--learners 20] [--seed 1]

Simulates learners who talk to the tutor through several server processes. At the same time, processes are killed and frozen, the LLM and
the database restart, and instructors purge, replace, pin and restore answers. Exits with 1 if an answer was lost, duplicated, stuck
or wrong. The same seed chooses the same faults.`;

/** Parses the command line; exits with the usage for unknown arguments. */
export function parseChaosFlags(args?: readonly string[]): ChaosFlags {
  const text = (value: string) => ({ type: "string" as const, default: value });
  const flags = { minutes: text("1"), processes: text("3"), learners: text("20"), seed: text("1") };
  const { flags: given } = commandLine({ usage, flags }, args);
  return {
    minutes: numberIn("minutes", given.minutes, 0.1, 60, usage),
    processes: wholeIn("processes", given.processes, 1, 16, usage),
    learners: wholeIn("learners", given.learners, 1, 500, usage),
    seed: wholeIn("seed", given.seed, 0, 2 ** 31, usage),
  };
}
