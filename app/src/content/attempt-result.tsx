import type { Schemas } from "learning-platform-client";
import { useEffect, useRef } from "preact/hooks";
import { formatUnroundedNumber } from "../components/localized-number.ts";
import { formatToOneDecimal } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { t } from "../texts.ts";

type Question = Schemas["AttemptQuestion"];

export function QuizAttemptResult({ attempt }: { attempt: Schemas["QuizAttemptDetail"] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Focus the heading, so each result is read from the top.
  useEffect(() => heading.current?.focus(), [attempt.id]);
  const { score_obtained, max_score, passed, answers_shown, questions, timed_out } = attempt;
  return (
    <section class="card result" aria-labelledby="result">
      <h2 id="result" tabIndex={-1} ref={heading}>
        {t("quiz.result", { score: formatToOneDecimal(score_obtained), max: formatToOneDecimal(max_score) })}
        {passed !== null && ` · ${passed ? t("quiz.passed") : t("quiz.failed")}`}
      </h2>
      {timed_out && <p>{t("quiz.timed.out")}</p>}
      {!answers_shown && <p class="quiet">{t("quiz.answers.later")}</p>}
      <ol>
        {questions.map((question) => (
          <li key={question.question_id}>
            <MarkdownWithFormulas source={question.question_text} byStaff />
            {question.thrown_out && <p class="quiet">{t(`quiz.thrown.out.${question.thrown_out}`)}</p>}
            <p>
              {question.result && !question.thrown_out && <Mark isRight={question.result.is_right} />}
              {t("quiz.your.answer", { answer: inWords(question, question.response) })}
            </p>
            {question.result && question.scoring === "partial" && !question.thrown_out && (
              <p>
                {t("quiz.points.earned", {
                  earned: formatToOneDecimal(question.result.points_earned),
                  points: formatToOneDecimal(question.points),
                })}
              </p>
            )}
            {question.result && !question.result.is_right && !question.thrown_out && (
              <p>{t("quiz.right.answer", { answer: rightAnswer(question, question.result.answer) })}</p>
            )}
            {question.result?.explanation && (
              <MarkdownWithFormulas source={question.result.explanation} byStaff />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Visible, and read by screen readers. */
const Mark = ({ isRight }: { isRight: boolean }) => (
  <strong>
    <span aria-hidden="true">{isRight ? "✓ " : "✗ "}</span>
    <span class="unseen">{t(isRight ? "quiz.is.right" : "quiz.is.wrong")} </span>
  </strong>
);

function inWords({ options }: Question, response: Question["response"]): string {
  if (response === null || response === "") return "–";
  if (typeof response === "boolean") return response ? t("true") : t("false");
  const textOf = (id: string) => options?.find((option) => option.id === id)?.text ?? id;
  if (Array.isArray(response)) return response.map(textOf).join(", ");
  return typeof response === "string" ? textOf(response) : formatUnroundedNumber(response);
}

function rightAnswer(question: Question, key: Schemas["AnswerKey"]): string {
  return inWords(question, key.option_id ?? key.option_ids ?? key.value ?? key.texts ?? null);
}
