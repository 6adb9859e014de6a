import type { Schemas } from "learning-platform-client";
import { Table } from "../components/table.tsx";
import { formatFractionAsPercent, formatNumber, formatToOneDecimal } from "../format.ts";
import { formatMoneyMicros } from "../format-money.ts";
import { t } from "../texts.ts";

type Report = Schemas["RolloutReport"];
type Comparison = Schemas["RolloutComparison"];
type Figure = keyof Schemas["RolloutArm"];

const figures: [Figure, (value: number | null) => string][] = [
  ["conversations", formatNumber],
  ["turns", formatNumber],
  ["made", formatNumber],
  ["calls", formatNumber],
  ["calls_estimated", formatNumber],
  ["malformed", formatNumber],
  ["refusals", formatNumber],
  ["cut_offs", formatNumber],
  ["ups", formatNumber],
  ["downs", formatNumber],
  ["characters", formatToOneDecimal],
  ["cost_micros", formatMoneyMicros],
  ["total_cost_micros", formatMoneyMicros],
  ["first_word_ms", formatNumber],
];

export function RolloutArmsTable({ report: { arms, base_version, candidate_version } }: { report: Report }) {
  return (
    <section class="card" aria-labelledby="arms">
      <h2 id="arms">{t("rollout.arms")}</h2>
      <Table
        label={t("rollout.figures")}
        columns={[
          t("rollout.figures"),
          t("rollout.arm.base", { version: base_version }),
          t("rollout.arm.candidate", { version: candidate_version }),
        ]}
      >
        {figures.map(([figure, format]) => (
          <tr key={figure}>
            <th scope="row">{t(`rollout.figure.${figure}`)}</th>
            <td>{format(arms.base[figure])}</td>
            <td>{format(arms.candidate[figure])}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** Shares as percentages; means and factors as numbers. */
const formats: Record<Comparison["limit"], (value: number | null) => string> = {
  MALFORMED: formatFractionAsPercent,
  REFUSALS: formatFractionAsPercent,
  CUT_OFFS: formatFractionAsPercent,
  DOWNS: formatFractionAsPercent,
  LENGTH: formatToOneDecimal,
  COST: formatMoneyMicros,
  FIRST_WORD: formatNumber,
};

/** Both arms by limit, and the limits that stop the rollout. */
export function RolloutLimitsTable({ report: { compared, stop } }: { report: Report }) {
  return (
    <section class="card" aria-labelledby="compared">
      <h2 id="compared">{t("rollout.compared")}</h2>
      <p class="quiet">{t("rollout.compared.about")}</p>
      <Table
        label={t("rollout.limits")}
        columns={[
          t("rollout.limit"),
          t("rollout.base"),
          t("rollout.candidate"),
          t("rollout.allowed"),
          t("rollout.verdict"),
        ]}
      >
        {compared.map((one) => (
          <ComparisonRow
            key={one.limit}
            of={one}
            hasLimit={stop[one.limit.toLowerCase() as keyof typeof stop] !== null}
          />
        ))}
      </Table>
    </section>
  );
}

function ComparisonRow({ of: one, hasLimit }: { of: Comparison; hasLimit: boolean }) {
  const format = formats[one.limit];
  return (
    <tr>
      <th scope="row">{t(`rollout.stop.${one.limit}`)}</th>
      <td>{t("rollout.of.answers", { value: format(one.base), n: one.base_answers })}</td>
      <td>{t("rollout.of.answers", { value: format(one.candidate), n: one.candidate_answers })}</td>
      <td>{hasLimit ? format(one.most) : t("rollout.no.limit")}</td>
      <td>{t(one.is_exceeded ? "rollout.exceeded" : "rollout.within")}</td>
    </tr>
  );
}
