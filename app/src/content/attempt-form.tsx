import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { clock } from "../format.ts";
import { Prose } from "../markup/prose.tsx";
import { Action } from "../parts/action.tsx";
import { explain } from "../reading.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";

type Attempt = Schemas["QuizAttemptDetail"];
type Question = Schemas["AttemptQuestion"];
type Response = Question["response"];

export type OpenAttempt = { attempt: Attempt; clockOffsetMs: number };

type FormProps = { open: OpenAttempt; onFinished: (attempt: Attempt) => void };

/** Between the last change and its being saved. */
const restMs = 600;

/** An attempt under way: answers are saved as they change, and submitted when the time is up. */
export function AttemptForm({ open: { attempt, clockOffsetMs }, onFinished }: FormProps) {
  const [responses, setResponses] = useState(
    () => new Map(attempt.questions.map(({ question_id, response }) => [question_id, response])),
  );
  const saving = useAutosave(attempt.id);
  const listed = () => [...responses].map(([question_id, response]) => ({ question_id, response }));
  const params = { path: { attempt_id: attempt.id } };
  const submit = async () => {
    saving.drop();
    onFinished(await dataOf(api.submitQuizAttempt({ params, body: { responses: listed() } })));
  };
  const answer = (question_id: number, response: Response) => {
    setResponses(new Map(responses).set(question_id, response));
    saving.save(question_id, response);
  };
  const given = [...responses.values()].filter((response) => response !== null && response !== "").length;
  return (
    <form class="quiz" onSubmit={(event) => event.preventDefault()}>
      <div class="quiz-head">
        <span>{t("quiz.answered", { given, all: attempt.questions.length })}</span>
        <span class="quiet" role="status">
          {saving.state}
        </span>
        {attempt.due_at && <TimeLeft until={Date.parse(attempt.due_at) - clockOffsetMs} onUp={submit} />}
      </div>
      {attempt.questions.map((question) => (
        <QuestionField
          key={question.question_id}
          question={question}
          response={responses.get(question.question_id) ?? null}
          onChange={(response) => answer(question.question_id, response)}
        />
      ))}
      <Action class="primary" run={submit}>
        {t("quiz.submit")}
      </Action>
    </form>
  );
}

/** Saves what has changed since, once the learner pauses; what fails is kept for the next time. */
function useAutosave(attemptId: number) {
  const [state, setState] = useState("");
  const waiting = useRef(new Map<number, Response>());
  const timer = useRef(0);
  const flush = async () => {
    const changed = [...waiting.current];
    waiting.current = new Map();
    const responses = changed.map(([question_id, response]) => ({ question_id, response }));
    try {
      const params = { path: { attempt_id: attemptId } };
      await dataOf(api.saveQuizResponses({ params, body: { responses } }));
      setState(t("saved"));
    } catch (error) {
      waiting.current = new Map([...changed, ...waiting.current]);
      setState(explain(error));
    }
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    state,
    save(questionId: number, response: Response) {
      waiting.current.set(questionId, response);
      clearTimeout(timer.current);
      timer.current = window.setTimeout(flush, restMs);
    },
    drop: () => clearTimeout(timer.current),
  };
}

/** Counts down; a screen reader hears of the last minute, not of each second. */
function TimeLeft({ until, onUp }: { until: number; onUp: () => Promise<void> }) {
  const [seconds, setSeconds] = useState((until - Date.now()) / 1000);
  const isUp = useRef(false);
  useEffect(() => {
    const ticking = setInterval(() => {
      const left = (until - Date.now()) / 1000;
      setSeconds(left);
      if (left > 0 || isUp.current) return;
      isUp.current = true;
      onUp().catch(() => {
        // The service closes the attempt by itself, with what was saved.
      });
    }, 500);
    return () => clearInterval(ticking);
  }, [until, onUp]);
  const isLate = seconds <= 60;
  return (
    <span class={isLate ? "time-left late" : "time-left"}>
      <span role="timer" aria-label={t("quiz.time.left")}>
        {clock(seconds)}
      </span>
      <span class="unseen" role="status">
        {isLate && t("quiz.last.minute")}
      </span>
    </span>
  );
}

type FieldProps = { question: Question; response: Response; onChange: (response: Response) => void };

function QuestionField({ question, response, onChange }: FieldProps) {
  const name = `question-${question.question_id}`;
  if (question.kind === "SHORT_ANSWER" || question.kind === "NUMERIC")
    return (
      <div class="card question">
        <label for={name}>
          <Asked question={question} />
        </label>
        <input
          id={name}
          inputMode={question.kind === "NUMERIC" ? "decimal" : "text"}
          value={response === null ? "" : String(response)}
          onInput={({ currentTarget: { value } }) => onChange(typed(question.kind, value))}
        />
      </div>
    );
  const options =
    question.kind === "TRUE_FALSE"
      ? [
          { value: true as const, text: t("true") },
          { value: false as const, text: t("false") },
        ]
      : (question.options ?? []).map(({ id, text }) => ({ value: id, text }));
  const chosen = Array.isArray(response) ? response : [];
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
            checked={isMultiple ? chosen.includes(String(value)) : response === value}
            onChange={() => onChange(isMultiple ? toggled(chosen, String(value)) : value)}
          />
          <Prose source={text} />
        </label>
      ))}
    </fieldset>
  );
}

/** The number stands beside the text, in which it would begin a list. */
function Asked({ question: { position, question_text } }: { question: Question }) {
  return (
    <span class="asked">
      <span>{position}.</span>
      <Prose source={question_text} />
    </span>
  );
}

/** A number is sent as one, with a decimal comma or point; what is none yet is sent as no answer. */
function typed(kind: Question["kind"], value: string): Response {
  if (kind !== "NUMERIC") return value;
  const number = Number(value.trim().replace(",", "."));
  return value.trim() === "" || Number.isNaN(number) ? null : number;
}

const toggled = (chosen: string[], value: string): string[] =>
  chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
