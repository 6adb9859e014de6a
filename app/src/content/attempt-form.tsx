import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { formatUnroundedNumber } from "../components/localized-number.ts";
import { useMarkFormEdited } from "../components/unsaved.ts";
import { formatSecondsAsClock } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { explainError } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { type AnswerAutosaver, isPermanentError, retryDelayMs } from "./answer-autosaver.ts";
import { delayOrUntilOnline } from "./answer-autosavers.ts";
import { isAnswered, parseTypedAnswer } from "./answers.ts";
import type { AttemptQuestionResponse } from "./unsaved-answers.ts";
import { useAutosavedAttemptAnswers } from "./use-attempt-answers.ts";

type Attempt = Schemas["QuizAttemptDetail"];
type Question = Schemas["AttemptQuestion"];

export type AttemptWithClockOffset = { attempt: Attempt; clockOffsetMs: number };

type FormProps = { open: AttemptWithClockOffset; onFinished: (attempt: Attempt) => void };

/** An open attempt: answers are saved as they change, and submitted when the time is up. */
export function QuizAttemptForm({ open: { attempt: begun, clockOffsetMs }, onFinished }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { attempt, saver, typed, put, readAgain } = useAutosavedAttemptAnswers(begun, onFinished);
  const { questions, due_at } = attempt;
  const params = { path: { attempt_id: attempt.id } };
  const setUnsaved = useMarkFormEdited(form);
  // Saves in flight continue on other screens. Failed ones would be lost with the page, so warn.
  useEffect(() => setUnsaved(saver.fault() !== undefined && saver.unsaved().size > 0));

  async function end() {
    const ended = await dataOf(apiClient.submitQuizAttempt({ params, body: { responses: saver.ready() } }));
    saver.drop();
    onFinished(ended);
  }
  /** Asks for confirmation, counting answers saved in other tabs too. */
  async function submit() {
    try {
      await saver.saveNow();
      const { submitted_at } = await readAgain();
      if (
        submitted_at === null &&
        isSure(
          questions.map((one) => parseTypedAnswer(one, typed(one))),
          attempt.is_exam,
        )
      )
        await end();
    } catch (error) {
      if (!isPermanentError(error) || (await readAgain()).submitted_at === null) throw error;
    }
  }
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  /** Submits without asking. If the service is unreachable, it closes the attempt with the saved answers. */
  async function endByTime() {
    for (let failures = 1; !isGone.current; failures++)
      try {
        return await end();
      } catch (error) {
        if (isPermanentError(error)) return void (await readAgain());
        await delayOrUntilOnline(retryDelayMs(failures, error));
      }
  }
  const given = questions.filter((one) => isAnswered(parseTypedAnswer(one, typed(one)))).length;
  return (
    <form class="quiz" onSubmit={(event) => event.preventDefault()} ref={form}>
      <div class="quiz-head">
        <span>{t("quiz.answered", { given, all: questions.length })}</span>
        <span class="quiet" role="status">
          {stateOf(saver)}
        </span>
        {due_at && <TimeLeft until={Date.parse(due_at) - clockOffsetMs} onUp={endByTime} />}
      </div>
      {questions.map((question) => (
        <QuestionField
          key={question.question_id}
          question={question}
          typed={typed(question)}
          onChange={(value) => put(question, value)}
        />
      ))}
      <ActionButton class="primary" run={submit}>
        {t("quiz.submit")}
      </ActionButton>
    </form>
  );
}

/** Exams always ask. Practice asks only if answers are missing. */
function isSure(responses: (AttemptQuestionResponse | undefined)[], isExam: boolean): boolean {
  const missing = responses.filter((one) => !isAnswered(one)).length;
  const noNumbers = responses.filter((one) => one === undefined).length;
  if (missing === 0 && !isExam) return true;
  const words = [
    missing > 0 ? t("quiz.submit.missing", { n: missing, all: responses.length }) : t("quiz.submit.all"),
    noNumbers > 0 && t("quiz.submit.no.number", { n: noNumbers }),
    t("quiz.submit.sure"),
  ];
  return confirm(words.filter(Boolean).join(" "));
}

/** The save status, and what happens next if saving fails. */
function stateOf(saver: AnswerAutosaver): string {
  if (saver.unsaved().size === 0) return saver.changes() > 0 ? t("saved") : "";
  const fault = saver.fault();
  if (fault === undefined) return t("quiz.not.saved");
  const words = [t("quiz.not.saved"), explainError(fault), !isPermanentError(fault) && t("quiz.tries.again")];
  return words.filter(Boolean).join(" ");
}

/** Countdown. Screen readers announce only the last minute. */
function TimeLeft({ until, onUp }: { until: number; onUp: () => Promise<void> }) {
  const [seconds, setSeconds] = useState((until - Date.now()) / 1000);
  const isUp = useRef(false);
  const latest = useRef(onUp);
  latest.current = onUp;
  useEffect(() => {
    const ticking = setInterval(() => {
      const left = (until - Date.now()) / 1000;
      setSeconds(left);
      if (left > 0 || isUp.current) return;
      isUp.current = true;
      latest.current().catch(() => {
        // The service closes the attempt with the saved answers.
      });
    }, 500);
    return () => clearInterval(ticking);
  }, [until]);
  const isLate = seconds <= 60;
  return (
    <span class={isLate ? "time-left late" : "time-left"}>
      <span role="timer" aria-label={t("quiz.time.left")}>
        {formatSecondsAsClock(seconds)}
      </span>
      <span class="unseen" role="status">
        {isLate && t("quiz.last.minute")}
      </span>
    </span>
  );
}

type FieldProps = {
  question: Question;
  typed: AttemptQuestionResponse;
  onChange: (typed: AttemptQuestionResponse) => void;
};

function QuestionField({ question, typed, onChange }: FieldProps) {
  const name = `question-${question.question_id}`;
  if (question.kind === "SHORT_ANSWER" || question.kind === "NUMERIC")
    return <WrittenAnswer name={name} question={question} typed={typed} onChange={onChange} />;
  const options =
    question.kind === "TRUE_FALSE"
      ? [
          { value: true as const, text: t("true") },
          { value: false as const, text: t("false") },
        ]
      : (question.options ?? []).map(({ id, text }) => ({ value: id, text }));
  const chosen = Array.isArray(typed) ? typed : [];
  const isMultiple = question.kind === "MULTIPLE_CHOICE";
  return (
    <fieldset class="card question">
      <legend>
        <Asked question={question} />
      </legend>
      {options.map(({ value, text }) => (
        <label key={String(value)} class="option">
          <input
            type={isMultiple ? "checkbox" : "radio"}
            name={name}
            checked={isMultiple ? chosen.includes(String(value)) : typed === value}
            onChange={() => onChange(isMultiple ? toggled(chosen, String(value)) : value)}
          />
          <MarkdownWithFormulas source={text} byStaff />
        </label>
      ))}
    </fieldset>
  );
}

/** A text or number answer. Invalid numbers are reported on blur. */
function WrittenAnswer({ name, question, typed, onChange }: FieldProps & { name: string }) {
  const [isLeft, setLeft] = useState(true);
  const isFaulty = isLeft && parseTypedAnswer(question, typed) === undefined;
  const fault = `${name}-fault`;
  return (
    <div class="card question">
      <label for={name}>
        <Asked question={question} />
      </label>
      <input
        id={name}
        maxLength={2000}
        autocomplete="off"
        value={typed === null ? "" : String(typed)}
        onInput={({ currentTarget: { value } }) => {
          setLeft(isFaulty);
          onChange(value);
        }}
        onBlur={() => setLeft(true)}
        aria-invalid={isFaulty || undefined}
        aria-describedby={isFaulty ? fault : undefined}
      />
      {isFaulty && (
        <small id={fault} class="fault" role="alert">
          {t("number.none", { example: formatUnroundedNumber(3.14) })}
        </small>
      )}
    </div>
  );
}

/** The number is a separate element: in the Markdown it would start a list. */
function Asked({ question: { position, question_text, scoring, thrown_out } }: { question: Question }) {
  return (
    <span class="asked">
      <span>{position}.</span>
      <MarkdownWithFormulas source={question_text} byStaff />
      {scoring === "partial" && <small>{t("quiz.partial.credit")}</small>}
      {thrown_out && <small>{t(`quiz.thrown.out.${thrown_out}`)}</small>}
    </span>
  );
}

const toggled = (chosen: string[], value: string): string[] =>
  chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
