import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";
import { TrialAnswerPairCard } from "./trial-pair.tsx";
import type { TrialPathParams } from "./trial-path.ts";

type Report = Schemas["TrialReport"];
type Check = Report["checks"][number]["check"];
type Verdict = "CANDIDATE" | "TIE" | "RECORDED";

type TrialCasesProps = { path: TrialPathParams; report: Report; onVoted: () => void };

/** Pairs of answers, most visited first: all, or those with a finding. */
export function TrialCasesList({ path, report, onVoted }: TrialCasesProps) {
  const [failed, chooseCheck] = useState<Check | "">("");
  const [verdict, chooseVerdict] = useState<Verdict | "">("");
  const cases = usePagedQuery(
    (part, signal) => {
      const narrowed = { ...(failed && { failed_check: failed }), ...(verdict && { verdict }) };
      return dataOf(
        apiClient.listPromptTrialCases({ params: { path, query: { ...part, ...narrowed } }, signal }),
      );
    },
    [path, failed, verdict, report.cases.answered, report.state],
  );
  const checks = report.checks.map(({ check }) => [check, t(`trial.check.${check}`)] as const);
  const voted = () => {
    cases.query.again();
    onVoted();
  };
  return (
    <section aria-labelledby="pairs">
      <h2 id="pairs">{t(report.kind === "STEP" ? "trial.pairs" : "trial.answers")}</h2>
      <div class="filters">
        <LabeledSelect
          label={t("trial.failed")}
          value={failed}
          options={[["", t("any")], ...checks]}
          onChoose={chooseCheck}
        />
        {report.judgement && (
          <LabeledSelect
            label={t("trial.verdict")}
            value={verdict}
            options={[
              ["", t("any")],
              ...withTranslatedLabels("trial.verdict", ["CANDIDATE", "TIE", "RECORDED"]),
            ]}
            onChoose={chooseVerdict}
          />
        )}
      </div>
      <PagedLineList of={cases} empty={t("trial.pairs.empty")} class="list">
        {(one) => (
          <li>
            <TrialAnswerPairCard pair={one} report={report} path={path} onVoted={voted} />
          </li>
        )}
      </PagedLineList>
    </section>
  );
}
