import { clock, hundredths } from "../format.ts";
import { t } from "../texts.ts";
import type { QuizData } from "./shapes.ts";

/** How a quiz is taken. */
export const QuizFacts = ({ data }: { data: QuizData }) => <p class="quiet">{describe(data)}</p>;

function describe({
  quiz_mode,
  num_questions_per_attempt,
  time_limit_seconds,
  passing_percent,
}: QuizData): string {
  return [
    quiz_mode === "exam" ? t("quiz.exam") : t("quiz.practice"),
    num_questions_per_attempt !== undefined && t("quiz.questions", { n: num_questions_per_attempt }),
    time_limit_seconds && t("quiz.time", { time: clock(time_limit_seconds) }),
    passing_percent !== undefined && t("quiz.passing", { percent: hundredths(passing_percent) }),
  ]
    .filter(Boolean)
    .join(" · ");
}
