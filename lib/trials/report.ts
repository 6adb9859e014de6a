import * as z from "zod";
import { Trial, type TrialReport } from "../../schema/api/trials.ts";
import { trialCaseReasons, trialChecks } from "../../schema/enums.ts";
import { wilsonInterval } from "../statistics/wilson.ts";

/** How many passed, of how many. */
const Counted = z.tuple([z.int(), z.int()]);

const Passed = z.object({ checks: z.partialRecord(z.enum(trialChecks), Counted), all: Counted });

const Reason = z.enum(
  trialCaseReasons.map((reason) => reason.toUpperCase()) as [Uppercase<(typeof trialCaseReasons)[number]>],
);

/** What a trial has come to, as it is counted. */
export const ReportRow = z.object({
  trial: Trial,
  cases: z.custom<TrialReport["cases"]>(),
  not_sent: z.array(z.object({ reason: Reason, cases: z.int() })),
  candidate: Passed,
  recorded: Passed,
  lengths: z.custom<TrialReport["lengths"]>(),
});

type Passed = z.output<typeof Passed>;

/** The same as it is told: shares with their intervals, check by check. */
export const reportOf = ({
  trial,
  candidate,
  recorded,
  ...row
}: z.output<typeof ReportRow>): TrialReport => ({
  ...trial,
  ...row,
  checks: trialChecks.map((check) => ({
    check: check.toUpperCase() as Uppercase<typeof check>,
    candidate: shareOf(candidate.checks[check]),
    recorded: shareOf(recorded.checks[check]),
  })),
  all_passed: { candidate: shareOf(candidate.all), recorded: shareOf(recorded.all) },
});

function shareOf([passed, of]: Passed["all"] = [0, 0]): TrialReport["all_passed"]["candidate"] {
  return of === 0 ? null : { passed, of, share: passed / of, ...wilsonInterval(passed, of) };
}
