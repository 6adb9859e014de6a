import type { Schemas } from "learning-platform-client";
import { formatDayAndTime } from "../format.ts";
import { t } from "../texts.ts";
import { storedAnswerHref } from "./stored-answer-href.ts";

type Failed = Schemas["TutorInbox"]["failed_answers"][number];

type Props = { answer: Failed; course: string; offering: string };

/** An answer that failed a check, with the checks and the texts of both calls. */
export function FailedAnswerCard({ answer, course, offering }: Props) {
  const { title, failed, second_failed, content_item_id, node_id, created_at, model } = answer;
  const isCorrected = second_failed?.length === 0;
  return (
    <li>
      <details>
        <summary>
          {title} · {failed.map(({ check }) => t(`check.${check}`)).join(", ")}{" "}
          <span class={isCorrected ? "badge completed" : "badge"}>
            {t(isCorrected ? "inbox.failed.corrected" : "inbox.failed.not.shared")}
          </span>
        </summary>
        <AnswerOfCall title={t("inbox.failed.first")} text={answer.answer} failed={failed} />
        {answer.second_answer !== null && (
          <AnswerOfCall
            title={t("inbox.failed.second")}
            text={answer.second_answer}
            failed={second_failed ?? []}
          />
        )}
      </details>
      <span class="row">
        <small>
          {model} · {formatDayAndTime(created_at)}
        </small>
        {node_id !== null && (
          <a href={storedAnswerHref(course, offering, content_item_id, node_id)}>{t("inbox.edit")}</a>
        )}
      </span>
    </li>
  );
}

type CallProps = { title: string; text: string; failed: Failed["failed"] };

const AnswerOfCall = ({ title, text, failed }: CallProps) => (
  <>
    <h3>{title}</h3>
    {failed.map(({ check, reason }) => (
      <p key={check} class="quiet">
        {reason}
      </p>
    ))}
    <pre class="diff">{text}</pre>
  </>
);
