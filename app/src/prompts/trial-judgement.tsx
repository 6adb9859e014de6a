import type { Schemas } from "learning-platform-client";
import { Table } from "../components/table.tsx";
import { formatFractionAsPercent, formatNumber, formatToOneDecimal } from "../format.ts";
import { formatMoneyMicros } from "../format-money.ts";
import { t } from "../texts.ts";

type Report = Schemas["TrialReport"];
type Judgement = NonNullable<Report["judgement"]>;
type Counts = Judgement["pairs"];

/** The judge's and people's verdicts, and their agreement. */
export function TrialJudgementSummary({ report: { judgement, votes } }: { report: Report }) {
  if (!judgement && votes.people === 0) return null;
  return (
    <section class="card" aria-labelledby="judgement">
      <h2 id="judgement">{t("trial.judgement")}</h2>
      {judgement && <Judged judgement={judgement} />}
      {votes.people > 0 && (
        <p>{t("trial.votes", { people: votes.people, pairs: votes.pairs, ...votes.votes })}</p>
      )}
      {judgement?.agreement && (
        <p>{t("trial.agreement", { ...asPercent(judgement.agreement), of: judgement.agreement.of })}</p>
      )}
    </section>
  );
}

type Interval = { share: number; low: number; high: number };

const asPercent = ({ share, low, high }: Interval) => ({
  share: formatFractionAsPercent(share),
  low: formatFractionAsPercent(low),
  high: formatFractionAsPercent(high),
});

function Judged({ judgement }: { judgement: Judgement }) {
  const { model, pairs, visits, share, sign_test, orders_disagreed, criteria, not_judged } = judgement;
  return (
    <>
      <p class="quiet">{t("trial.judge", { model, cost: formatMoneyMicros(judgement.spent_micros) })}</p>
      {share && (
        <p>
          <strong>
            {t("trial.judge.share", { ...asPercent(share), n: formatToOneDecimal(share.effective_pairs) })}
          </strong>
        </p>
      )}
      <p>{t("trial.sign.test", { n: sign_test.pairs, p: formatToOneDecimal(sign_test.p_value * 100) })}</p>
      <Table
        label={t("trial.counts")}
        columns={[t("trial.counts"), t("trial.won"), t("trial.tied"), t("trial.lost")]}
      >
        <CountsRow label={t("trial.by.visits")} counts={visits} />
        <CountsRow label={t("trial.by.pairs")} counts={pairs} />
        {criteria.map(({ criterion, ...counts }) => (
          <CountsRow key={criterion} label={t(`trial.criterion.${criterion}`)} counts={counts} />
        ))}
      </Table>
      {orders_disagreed > 0 && <p class="quiet">{t("trial.orders.disagreed", { n: orders_disagreed })}</p>}
      {not_judged.length > 0 && (
        <ul aria-label={t("trial.not.judged")}>
          {not_judged.map(({ reason, cases: n }) => (
            <li key={reason}>{t(`trial.unjudged.${reason}`, { n })}</li>
          ))}
        </ul>
      )}
    </>
  );
}

const CountsRow = ({ label, counts: { won, tied, lost } }: { label: string; counts: Counts }) => (
  <tr>
    <th scope="row">{label}</th>
    {[won, tied, lost].map((count, at) => (
      // In the order of the header.
      <td key={at}>{formatNumber(count)}</td>
    ))}
  </tr>
);
