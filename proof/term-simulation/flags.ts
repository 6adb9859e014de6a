import { commandLine, wholeIn } from "../../scripts/command-line.ts";

export type TermFlags = { people: number; weeks: number; seed: number };

const usage = `npm run term -- [--people 300] [--weeks 26] [--seed 1]

Simulates a term on a database of its own, with the clock of the service moved from day to day, over both changes of the
clock of a winter: people register, enroll, wait for places, learn, talk to the practice tutor, take quizzes and exams, hand
in labs, in time and late, alone and for their group, drop out, erase their accounts and come back, and complete; staff
grade, by a rubric and without names too, make grades final, and correct certificates. A second run of a course has dates of
its own, groups have others, one learner in twenty is given more time, lateness and the lowest quiz count as a teacher says,
and after the term conversations are forgotten. Every report and
screen is held against what was done, by definitions that know nothing of the service (proof/term-simulation/definitions.ts), and
what was printed in the term against what is drawn in the end; any difference is printed, and the exit is 1 then. The same
seed makes the same term.`;

/** Parses the command line; exits with the usage for unknown arguments. */
export function flagsOf(args?: readonly string[]): TermFlags {
  const text = (value: string) => ({ type: "string" as const, default: value });
  const flags = { people: text("300"), weeks: text("26"), seed: text("1") };
  const { flags: given } = commandLine({ usage, flags }, args);
  return {
    people: wholeIn("people", given.people, 12, 5000, usage),
    weeks: wholeIn("weeks", given.weeks, 4, 26, usage),
    seed: wholeIn("seed", given.seed, 0, 2 ** 31, usage),
  };
}
