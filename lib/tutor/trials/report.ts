import * as z from "zod";
import { Trial, type TrialReport } from "../../../schema/api/tutor/trials.ts";
import { type JudgeCriterion, judgeCriteria, trialCaseReasons, trialChecks } from "../../../schema/enums.ts";
import { signTestPValue } from "../../platform/statistics/sign-test.ts";
import { weightedShareWithInterval } from "../../platform/statistics/weighted-share.ts";
import { wilsonInterval } from "../../platform/statistics/wilson.ts";

const Counted = z.tuple([z.int(), z.int()]);

const Passed = z.object({ checks: z.partialRecord(z.enum(trialChecks), Counted), all: Counted });

const Reason = z.enum(
  trialCaseReasons.map((reason) => reason.toUpperCase()) as [Uppercase<(typeof trialCaseReasons)[number]>],
);

type Told = NonNullable<TrialReport["judgement"]>;
type Counts = Told["pairs"];

/** Counted in SQL; the other fields are computed here. */
type Judged = Pick<
  Told,
  "model" | "pairs" | "visits" | "orders_disagreed" | "not_judged" | "spent_micros"
> & {
  squares: number;
  criteria: Partial<Record<JudgeCriterion, Counts>>;
  agreement: [number, number];
};

export const ReportRow = z.object({
  trial: Trial,
  cases: z.custom<TrialReport["cases"]>(),
  not_sent: z.array(z.object({ reason: Reason, cases: z.int() })),
  candidate: Passed,
  recorded: Passed,
  lengths: z.custom<TrialReport["lengths"]>(),
  batch: z.custom<TrialReport["batch"]>(),
  judgement: z.custom<Judged>().nullable(),
  votes: z.custom<TrialReport["votes"]>(),
  leaks: z.custom<TrialReport["leaks"]>(),
});

type Passed = z.output<typeof Passed>;

/** Shares with confidence intervals per check. */
export const toTrialReport = ({
  trial,
  candidate,
  recorded,
  judgement,
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
  judgement: judgement && toldOf(judgement),
});

/** A tie counts as half a win. */
function toldOf({ squares, criteria, agreement, ...judged }: Judged): Told {
  const { won, tied, lost } = judged.visits;
  const weighed = weightedShareWithInterval({ weight: won + tied + lost, squares, counted: won + tied / 2 });
  return {
    ...judged,
    share: weighed
      ? { share: weighed.share, low: weighed.low, high: weighed.high, effective_pairs: weighed.effective }
      : null,
    sign_test: {
      pairs: judged.pairs.won + judged.pairs.lost,
      p_value: signTestPValue(judged.pairs.won, judged.pairs.lost),
    },
    criteria: judgeCriteria.map((criterion) => ({
      criterion: criterion.toUpperCase() as Uppercase<typeof criterion>,
      ...(criteria[criterion] ?? { won: 0, tied: 0, lost: 0 }),
    })),
    agreement: shareOf(agreement),
  };
}

function shareOf([passed, of]: Passed["all"] = [0, 0]): TrialReport["all_passed"]["candidate"] {
  return of === 0 ? null : { passed, of, share: passed / of, ...wilsonInterval(passed, of) };
}
