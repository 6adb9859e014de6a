import type { Schemas } from "learning-platform-client";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { dialoguePathLabel } from "../teaching/path-label.ts";
import { t } from "../texts.ts";
import { answerWithoutQuestionBlock, parseQuestionBlock } from "../tutor/steps.ts";
import type { TrialPathParams } from "./trial-path.ts";
import { TrialPairVoteButtons } from "./trial-votes.tsx";

type Report = Schemas["TrialReport"];
type Case = Schemas["TrialCase"];
type Answer = NonNullable<Case["recorded"]>;
type Check = Report["checks"][number]["check"];

type PairProps = { pair: Case; report: Report; path: TrialPathParams; onVoted: () => void };

/** The version's answer next to the recorded one, with verdicts. */
export function TrialAnswerPairCard({ pair, report: { version, against }, path, onVoted }: PairProps) {
  const { visits, recorded, candidate, state, reason, judgement, votes } = pair;
  const place = dialoguePathLabel(pair.path) || t("path.start");
  return (
    <article class="card" aria-label={place}>
      <p class="row">
        <strong>{place}</strong>
        <span class="quiet">{pair.content_item_title}</span>
        {recorded && <span class="badge">{t("tree.visits", { n: visits })}</span>}
        {pair.persona && <span class="badge">{t(`trial.persona.${pair.persona}`)}</span>}
        {pair.attack && <span class="badge">{t(`trial.attack.${pair.attack.category}`)}</span>}
        {judgement?.verdict && (
          <span class="badge">
            {t("trial.judge.says", { verdict: t(`trial.verdict.${judgement.verdict}`) })}
          </span>
        )}
      </p>
      <Talk talk={pair.talk} />
      <div class="pair">
        {recorded && <Side title={t("trial.recorded", { version: against })} answer={recorded} />}
        {candidate ? (
          <Side title={t("trial.candidate", { version })} answer={candidate} />
        ) : (
          <p class="quiet">{reason ? t(`trial.reason.${reason}`, { n: 1 }) : t(`trial.case.${state}`)}</p>
        )}
      </div>
      <Reasons judgement={judgement} />
      {recorded && candidate && (
        <TrialPairVoteButtons path={{ ...path, case_id: pair.id }} votes={votes} onVoted={onVoted} />
      )}
    </article>
  );
}

/** The conversation before, with a simulated learner or an attack. */
function Talk({ talk }: Pick<Case, "talk">) {
  if (!talk || talk.length === 0) return null;
  return (
    <details>
      <summary>{t("trial.talk")}</summary>
      {talk.map(({ message, answer }, at) => (
        // Messages have no ids and are rendered as a whole.
        <div key={at}>
          <p>
            <strong>{dialoguePathLabel(["", message])}</strong>
          </p>
          <MarkdownWithFormulas source={answerWithoutQuestionBlock(answer)} />
        </div>
      ))}
    </details>
  );
}

/** An answer as learners see it, with its findings. */
function Side({ title, answer: { text, checks } }: { title: string; answer: Answer }) {
  const question = parseQuestionBlock(text);
  const faults = Object.entries(checks).filter(([, fault]) => fault !== null);
  return (
    <div>
      <h3>{title}</h3>
      <MarkdownWithFormulas source={answerWithoutQuestionBlock(text)} />
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

/** The judge's reasons, for both orders of presentation. */
function Reasons({ judgement }: Pick<Case, "judgement">) {
  const told = (judgement?.orders ?? []).filter(({ why }) => why);
  if (told.length === 0) return null;
  return (
    <details>
      <summary>{t("trial.judge.why")}</summary>
      <ul>
        {told.map(({ candidate_first, verdict, why }) => (
          <li key={String(candidate_first)}>
            {verdict && `${t(`trial.verdict.${verdict}`)}: `}
            {why}
          </li>
        ))}
      </ul>
    </details>
  );
}
