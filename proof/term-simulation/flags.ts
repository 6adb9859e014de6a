import { commandLine, wholeIn } from "../../scripts/command-line.ts";

export type TermFlags = { people: number; weeks: number; seed: number };

const usage = `npm run term -- [--people 300] [--weeks 26] [--seed 1]

Simulates a term on a new database. The service's clock moves from day to day, across both clock changes of a winter. People
register, enroll, wait for seats, learn, talk to the practice tutor, take quizzes and exams, and submit labs, on time and late, alone
and for their group. They drop out, erase their accounts, return and complete. Staff grade, also with rubrics and anonymously,
finalize grades and correct certificates. A second offering has its own dates, groups have other dates, one learner in twenty has
more time, late and drop rules apply, and conversations are deleted after the term. Every report and screen is compared with the
simulated actions, by definitions that are independent of the service (proof/term-simulation/definitions.ts). Documents that were
printed during the term are compared with those at the end. Prints each difference, and exits with 1 if there is one. The same
seed makes the same term.`;

/** Parses the command line; exits with the usage for unknown arguments. */
export function parseTermFlags(args?: readonly string[]): TermFlags {
  const text = (value: string) => ({ type: "string" as const, default: value });
  const flags = { people: text("300"), weeks: text("26"), seed: text("1") };
  const { flags: given } = commandLine({ usage, flags }, args);
  return {
    people: wholeIn("people", given.people, 12, 5000, usage),
    weeks: wholeIn("weeks", given.weeks, 4, 26, usage),
    seed: wholeIn("seed", given.seed, 0, 2 ** 31, usage),
  };
}
