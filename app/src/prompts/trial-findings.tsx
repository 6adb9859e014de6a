import type { Schemas } from "learning-platform-client";
import { Table } from "../components/table.tsx";
import { formatFractionAsPercent, formatNumber } from "../format.ts";
import { formatMoneyMicros } from "../format-money.ts";
import { t } from "../texts.ts";

type Report = Schemas["TrialReport"];
type Share = Schemas["TrialShare"];

/** Pass rates by check with confidence intervals, next to the recorded answers'. */
export function TrialCheckPassRates({ report }: { report: Report }) {
  const { checks, all_passed } = report;
  return (
    <section class="card" aria-labelledby="findings">
      <h2 id="findings">{t("trial.findings")}</h2>
      <p class="quiet">{t("trial.interval.about")}</p>
      <Table label={t("trial.checks")} columns={columns(report)}>
        <ShareRow label={t("trial.all.passed")} {...all_passed} />
        {checks.map(({ check, candidate, recorded }) => (
          <ShareRow key={check} label={t(`trial.check.${check}`)} candidate={candidate} recorded={recorded} />
        ))}
      </Table>
      <Lengths report={report} />
    </section>
  );
}

const columns = ({ version, against }: Report) => [
  t("trial.check"),
  t("trial.candidate", { version }),
  t("trial.recorded", { version: against }),
];

type ShareRowProps = { label: string; candidate: Share | null; recorded: Share | null };

const ShareRow = ({ label, candidate, recorded }: ShareRowProps) => (
  <tr>
    <th scope="row">{label}</th>
    <td>{inWords(candidate)}</td>
    <td>{inWords(recorded)}</td>
  </tr>
);

/** A share with its interval and sample size. */
const inWords = (share: Share | null): string =>
  share
    ? t("trial.share", {
        share: formatFractionAsPercent(share.share),
        low: formatFractionAsPercent(share.low),
        high: formatFractionAsPercent(share.high),
        passed: share.passed,
        of: share.of,
      })
    : "–";

function Lengths({ report }: { report: Report }) {
  const { candidate, recorded } = report.lengths;
  const rows: [string, string, string][] = [
    [t("trial.characters"), formatNumber(candidate.characters), formatNumber(recorded.characters)],
    [t("trial.output.tokens"), formatNumber(candidate.output_tokens), formatNumber(recorded.output_tokens)],
    [t("trial.cost.case"), formatMoneyMicros(candidate.cost_micros), formatMoneyMicros(recorded.cost_micros)],
  ];
  const [, ...sides] = columns(report);
  return (
    <Table label={t("trial.lengths")} columns={[t("trial.lengths"), ...sides]}>
      {rows.map(([label, tried, told]) => (
        <tr key={label}>
          <th scope="row">{label}</th>
          <td>{tried}</td>
          <td>{told}</td>
        </tr>
      ))}
    </Table>
  );
}
