import { stdout } from "node:process";
import type { SimulatedDay } from "./days.ts";
import { isDayInPeriod } from "./days.ts";
import { completionDaysByItem } from "./definitions.ts";
import type { SimulationLedger } from "./ledger.ts";

/** Receives a term's progress: each step, and each finished week. */
export type TermProgressPrinter = {
  step(what: string, done: number, all: number): void;
  week(line: string): void;
};

const width = 24;

/** On a terminal a bar below the finished weeks, otherwise only the weeks. */
export function createTermProgressPrinter(): TermProgressPrinter {
  const clear = () => stdout.isTTY && stdout.write(`\r${" ".repeat(width + 60)}\r`);
  return {
    step(what, done, all) {
      if (!stdout.isTTY) return;
      const bar = "█".repeat(Math.floor((width * done) / all)).padEnd(width, "░");
      stdout.write(`\r${bar} ${Math.floor((100 * done) / all)} %  ${what}`.padEnd(width + 60));
    },
    week(line) {
      clear();
      stdout.write(`${line}\n`);
    },
  };
}

const columns = [
  "week of",
  "people",
  "active",
  "waiting",
  "dropped",
  "complete",
  "items",
  "quizzes",
  "labs",
  "asked",
  "stored",
];

export const weekTableHeading = columns.map((name) => name.padStart(10)).join("");

/** A week's changes, and the state after it. */
export function formatWeekLine(ledger: SimulationLedger, from: SimulatedDay, to: SimulatedDay): string {
  const count = (status: string) =>
    ledger.enrollments.filter((enrollment) => enrollment.status === status).length;
  const ofWeek = ledger.activities.filter(({ day }) => isDayInPeriod({ from, to }, day));
  const done = ledger.enrollments.flatMap((enrollment) =>
    [...completionDaysByItem(enrollment).values()].filter((day) => isDayInPeriod({ from, to }, day)),
  );
  const cells = [
    from,
    new Set(ofWeek.map(({ learner }) => learner)).size,
    ...["ACTIVE", "WAITLISTED", "DROPPED", "COMPLETED"].map(count),
    done.length,
    ledger.attempts.filter(({ startedOn }) => isDayInPeriod({ from, to }, startedOn)).length,
    ledger.works.filter(({ day }) => isDayInPeriod({ from, to }, day)).length,
    ofWeek.filter(({ asked }) => asked).length,
    ledger.stored.size,
  ];
  return cells.map((cell) => String(cell).padStart(10)).join("");
}
