import { dataOf, type Schemas } from "learning-platform-client";
import { EmptyMessage } from "../components/empty.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { UploadedFileList } from "../files/uploaded-file.tsx";
import { formatDayAndTime, formatToOneDecimal } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { ChosenRubricLevels } from "./chosen-levels.tsx";
import { LatePenaltyNote } from "./lateness.tsx";
import { SubmittedWorkView } from "./submitted-work.tsx";

type Listed = Schemas["OwnSubmission"];

export function OwnSubmissionsList({ submissions }: { submissions: Listed[] }) {
  const newestFirst = submissions.toSorted((one, other) => other.attempt_number - one.attempt_number);
  if (newestFirst.length === 0) return <EmptyMessage>{t("work.nothing")}</EmptyMessage>;
  return (
    <ul class="stack">
      {newestFirst.map((one, at) => (
        <li key={`${one.id} ${one.status}`} class="card">
          <Submission listed={one} isOpen={at === 0} />
        </li>
      ))}
    </ul>
  );
}

function Submission({ listed, isOpen }: { listed: Listed; isOpen: boolean }) {
  return (
    <>
      <div class="line-head">
        <strong>{t("work.attempt", { n: listed.attempt_number })}</strong>
        <span class="quiet">{formatDayAndTime(listed.submitted_at)}</span>
        {listed.group_id !== null && <span class="quiet">{t("work.group")}</span>}
        {listed.is_late && <span class="badge waiting">{t("work.late")}</span>}
        <span class={`badge ${listed.status}`}>{t(`work.${listed.status}`)}</span>
        {listed.score_obtained !== null && (
          <strong>
            {t("quiz.result", {
              score: formatToOneDecimal(listed.score_obtained),
              max: formatToOneDecimal(listed.max_score),
            })}
          </strong>
        )}
        <LatePenaltyNote of={listed} />
      </div>
      {isOpen ? (
        <Details id={listed.id} />
      ) : (
        <LazyDisclosure label={t("work.show")}>{() => <Details id={listed.id} />}</LazyDisclosure>
      )}
    </>
  );
}

function Details({ id }: { id: number }) {
  const submission = useQuery(
    (signal) => dataOf(apiClient.getSubmission({ params: { path: { submission_id: id } }, signal })),
    [id],
  );
  return (
    <QueryBoundary of={submission}>
      {(found) => (
        <>
          {found.rubric && <ChosenRubricLevels levels={found.rubric} />}
          {(found.instructor_feedback || found.feedback_files.length > 0) && (
            <div class="notice good feedback">
              <div>
                <strong>{t("work.feedback")}</strong>
                {found.instructor_feedback && (
                  <MarkdownWithFormulas source={found.instructor_feedback} byStaff />
                )}
                <UploadedFileList files={found.feedback_files} label={t("work.feedback.files")} />
              </div>
            </div>
          )}
          <SubmittedWorkView submission={found} />
        </>
      )}
    </QueryBoundary>
  );
}
