import { dataOf, PlatformError, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { formatDayAndTime, formatToOneDecimal } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { deleteDraftsOfSubmittedAttempts } from "./answer-autosavers.ts";
import { type AttemptWithClockOffset, QuizAttemptForm } from "./attempt-form.tsx";
import { QuizAttemptResult } from "./attempt-result.tsx";
import type { QuizData } from "./content-data.ts";
import type { OutlineItemWithOnChange } from "./item-progress.ts";
import { QuizSettingsSummary, QuizStartSummary } from "./quiz-summaries.tsx";

type Attempt = Schemas["QuizAttemptDetail"];
type QuizProps = {
  itemId: number;
  offeringId: number;
  data: QuizData;
  progress: OutlineItemWithOnChange | undefined;
};

export function QuizView({ itemId, offeringId, data, progress }: QuizProps) {
  const [open, setOpen] = useState<AttemptWithClockOffset>();
  const [finished, setFinished] = useState<Attempt>();
  const path = { offering_id: offeringId, content_item_id: itemId };
  const query = { course_offering_id: offeringId, content_item_id: itemId, limit: 100 };
  const { profile } = useCurrentUser();
  const isEnrolled = progress !== undefined;
  const standing = useQuery(
    async (signal) => {
      if (!isEnrolled) return undefined;
      const [quiz, attempts] = await Promise.all([
        dataOf(apiClient.getMyQuiz({ params: { path }, signal })).catch(noneForOthers),
        dataOf(apiClient.listMyQuizAttempts({ params: { query }, signal })),
      ]);
      deleteDraftsOfSubmittedAttempts(profile.id, attempts);
      return { quiz, attempts };
    },
    [itemId, offeringId, isEnrolled],
  );

  async function start() {
    const answer = apiClient.startQuizAttempt({ params: { path } });
    const attempt = await dataOf(answer);
    setFinished(undefined);
    setOpen({ attempt, clockOffsetMs: clockOffset((await answer).response) });
    // The tutor closes during an exam.
    progress?.onChange();
  }

  async function show(attempt_id: number) {
    setFinished(await dataOf(apiClient.getQuizAttempt({ params: { path: { attempt_id } } })));
  }

  function finish(attempt: Attempt) {
    setOpen(undefined);
    setFinished(attempt);
    standing.again();
    progress?.onChange();
  }

  if (open) return <QuizAttemptForm open={open} onFinished={finish} />;
  return (
    <>
      {/* The learner's own time limit is shown below. */}
      <QuizSettingsSummary data={progress ? { ...data, time_limit_seconds: null } : data} />
      {finished && <QuizAttemptResult attempt={finished} />}
      {progress ? (
        <QueryBoundary of={standing}>
          {(found) =>
            found && (
              <>
                {found.quiz && <QuizStartSummary quiz={found.quiz} tutorScope={data.tutor_scope} />}
                {found.quiz?.unavailable === null && (
                  <ActionButton class="primary" run={start}>
                    {startLabel(found.quiz)}
                  </ActionButton>
                )}
                <AttemptList attempts={found.attempts} onShow={show} />
              </>
            )
          }
        </QueryBoundary>
      ) : (
        <p>{t("quiz.enrolled.only")}</p>
      )}
    </>
  );
}

/** Learners without access to the quiz still see their attempts. */
function noneForOthers(error: unknown): undefined {
  if (!(error instanceof PlatformError) || error.status !== 403) throw error;
}

/** Milliseconds that the server's clock is ahead of this one. Deadlines use the server's. */
function clockOffset({ headers }: Response): number {
  const date = headers.get("Date");
  return date ? Date.parse(date) - Date.now() : 0;
}

function startLabel({ open_attempt_id, attempts_taken }: Schemas["MyQuiz"]): string {
  if (open_attempt_id !== null) return t("quiz.continue");
  return attempts_taken > 0 ? t("quiz.again") : t("quiz.start");
}

type ListProps = { attempts: Schemas["QuizAttempt"][]; onShow: (id: number) => Promise<void> };

function AttemptList({ attempts, onShow }: ListProps) {
  const ended = attempts.filter(({ submitted_at }) => submitted_at !== null);
  if (ended.length === 0) return null;
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">{t("quiz.attempts")}</h2>
      <ul class="lines">
        {ended.map((one) => (
          <li key={one.id}>
            <span>
              {one.attempt_number}. {one.submitted_at && formatDayAndTime(one.submitted_at)}
            </span>
            <span>
              {formatToOneDecimal(one.score_obtained)} / {formatToOneDecimal(one.max_score)}
              {one.passed !== null && ` · ${one.passed ? t("quiz.passed") : t("quiz.failed")}`}
            </span>
            <ActionButton class="quiet" run={() => onShow(one.id)}>
              {t("quiz.show")}
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
