import type { Schemas } from "learning-platform-client";
import { formatDeadlineOmittingDayEnd, formatPercentOf100, formatSecondsAsClock } from "../format.ts";
import { t } from "../texts.ts";
import type { QuizData } from "./content-data.ts";

export const QuizSettingsSummary = ({ data }: { data: QuizData }) => <p class="quiet">{describe(data)}</p>;

function describe({
  quiz_mode,
  num_questions_per_attempt,
  time_limit_seconds,
  passing_percent,
}: QuizData): string {
  return [
    quiz_mode === "exam" ? t("quiz.exam") : t("quiz.practice"),
    num_questions_per_attempt !== undefined && t("quiz.questions", { n: num_questions_per_attempt }),
    time_limit_seconds && t("quiz.time", { time: formatSecondsAsClock(time_limit_seconds) }),
    passing_percent !== undefined && t("quiz.passing", { percent: formatPercentOf100(passing_percent) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

type Quiz = Schemas["MyQuiz"];

/** Shown before an attempt: remaining tries, time limit and consequences. */
export function QuizStartSummary({ quiz, tutorScope }: { quiz: Quiz; tutorScope: QuizData["tutor_scope"] }) {
  const { is_exam, time_limit_seconds, closes_at, open_attempt_id, unavailable } = quiz;
  const lines = [
    attemptsIn(quiz),
    time_limit_seconds !== null && t("quiz.your.time", { time: formatSecondsAsClock(time_limit_seconds) }),
    time_limit_seconds !== null && t("quiz.more.time"),
    closes_at !== null &&
      t(unavailable === "CLOSED" ? "quiz.closed" : "quiz.closes", {
        moment: formatDeadlineOmittingDayEnd(closes_at),
      }),
    unavailable === "NO_QUESTIONS" && t("quiz.no.questions"),
    is_exam && unavailable === null && silence(open_attempt_id !== null, tutorScope),
  ];
  return (
    <ul class="quiet">
      {lines.filter(Boolean).map((line) => (
        <li key={String(line)}>{line}</li>
      ))}
    </ul>
  );
}

function silence(isOpen: boolean, tutorScope: QuizData["tutor_scope"]): string {
  const text = isOpen ? "quiz.silent" : "quiz.silence";
  return t(tutorScope === "university" ? `${text}.university` : text);
}

function attemptsIn({ max_attempts, attempts_taken }: Quiz): string {
  if (max_attempts === null) return t("quiz.attempts.taken", { n: attempts_taken });
  const left = Math.max(0, max_attempts - attempts_taken);
  return `${t("quiz.attempts.of", { n: attempts_taken, all: max_attempts })} ${t("quiz.attempts.left", { left })}`;
}
