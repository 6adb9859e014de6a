import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Choice } from "../components/choice.tsx";
import { ListedLines } from "../components/listed-lines.tsx";
import { usePaged } from "../components/paged.tsx";
import { Prose } from "../markup/prose.tsx";
import { api } from "../service.ts";
import { pathLabel } from "../teaching/path-label.ts";
import { t } from "../texts.ts";
import { questionIn, wordsOf } from "../tutor/steps.ts";
import type { TrialPath } from "./trial.tsx";

type Report = Schemas["TrialReport"];
type Case = Schemas["TrialCase"];
type Answer = Case["recorded"];
type Check = Report["checks"][number]["check"];

/** The pairs of answers side by side, the most visited first; all of them, or those that a check found fault with. */
export function TrialCases({ path, report }: { path: TrialPath; report: Report }) {
  const [failed, choose] = useState<Check | "">("");
  const cases = usePaged(
    (part, signal) => {
      const query = { ...part, ...(failed && { failed_check: failed }) };
      return dataOf(api.listPromptTrialCases({ params: { path, query }, signal }));
    },
    [path, failed, report.cases.answered, report.state],
  );
  const checks = report.checks.map(({ check }) => [check, t(`trial.check.${check}`)] as const);
  return (
    <section aria-labelledby="pairs">
      <h2 id="pairs">{t("trial.pairs")}</h2>
      <div class="filters">
        <Choice
          label={t("trial.failed")}
          value={failed}
          options={[["", t("any")], ...checks]}
          onChoose={choose}
        />
      </div>
      <ListedLines of={cases} empty={t("trial.pairs.empty")} class="list">
        {(one) => (
          <li>
            <Pair pair={one} report={report} />
          </li>
        )}
      </ListedLines>
    </section>
  );
}

function Pair({ pair, report: { version, against } }: { pair: Case; report: Report }) {
  const { path, visits, recorded, candidate, state, reason } = pair;
  const place = pathLabel(path) || t("path.start");
  return (
    <article class="card" aria-label={place}>
      <p class="row">
        <strong>{place}</strong>
        <span class="badge">{t("tree.visits", { n: visits })}</span>
      </p>
      <div class="pair">
        <Side title={t("trial.recorded", { version: against })} answer={recorded} />
        {candidate ? (
          <Side title={t("trial.candidate", { version })} answer={candidate} />
        ) : (
          <p class="quiet">{reason ? t(`trial.reason.${reason}`, { n: 1 }) : t(`trial.case.${state}`)}</p>
        )}
      </div>
    </article>
  );
}

/** An answer as a learner reads it, and what checks found in it. */
function Side({ title, answer: { text, checks } }: { title: string; answer: Answer }) {
  const question = questionIn(text);
  const faults = Object.entries(checks).filter(([, fault]) => fault !== null);
  return (
    <div>
      <h3>{title}</h3>
      <Prose source={wordsOf(text)} />
      {question && (
        <>
          <p>
            <strong>{question.question}</strong>
          </p>
          <ul>
            {question.options.map(({ id, text: option }) => (
              <li key={id}>
                {id} · {option}
              </li>
            ))}
          </ul>
        </>
      )}
      {faults.map(([check, fault]) => (
        <p key={check} class="fault">
          {t(`trial.check.${check.toUpperCase() as Check}`)}: {fault}
        </p>
      ))}
    </div>
  );
}
