import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatUnroundedNumber } from "../components/localized-number.ts";
import { decimalSeparatorOfLanguage, parseNumberWithDecimalSeparator } from "../components/typed-number.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { useLanguage } from "../texts.ts";
import { type AnswerAutosaver, isPermanentError } from "./answer-autosaver.ts";
import { getOrCreateAnswerAutosaver } from "./answer-autosavers.ts";
import { answerFieldValue, parseTypedAnswer } from "./answers.ts";
import { type AttemptQuestionResponse, isSameResponse } from "./unsaved-answers.ts";

type Attempt = Schemas["QuizAttemptDetail"];
type Question = Schemas["AttemptQuestion"];

export type AttemptAnswersHookResult = {
  attempt: Attempt;
  saver: AnswerAutosaver;
  typed(question: Question): AttemptQuestionResponse;
  put(question: Question, typed: AttemptQuestionResponse): void;
  /** Reads answers saved elsewhere, such as in another tab, and shows them if nothing is unsaved here. */
  readAgain(): Promise<Attempt>;
};

/**
 * Answers of an open attempt: saved on change and before the page closes, restored from storage. `onClosed`
 * runs if the attempt turns out to be closed.
 */
export function useAutosavedAttemptAnswers(
  begun: Attempt,
  onClosed: (attempt: Attempt) => void,
): AttemptAnswersHookResult {
  const { profile } = useCurrentUser();
  const [attempt, setAttempt] = useState(begun);
  const [, draw] = useState(0);
  const saver = useMemo(() => {
    const found = getOrCreateAnswerAutosaver(profile.id, begun.id);
    found.reconcile(begun.questions);
    return found;
  }, [profile.id, begun.id]);
  const [typed] = useState(
    () =>
      new Map(
        begun.questions.map((question) => [
          question.question_id,
          saver.unsaved().get(question.question_id)?.typed ?? answerFieldValue(question, question.response),
        ]),
      ),
  );

  function put(question: Question, value: AttemptQuestionResponse) {
    typed.set(question.question_id, value);
    saver.put(question.question_id, value, parseTypedAnswer(question, value));
  }

  async function readAgain(): Promise<Attempt> {
    const changes = saver.changes();
    const read = await dataOf(apiClient.getQuizAttempt({ params: { path: { attempt_id: begun.id } } }));
    if (read.submitted_at !== null) {
      saver.drop();
      onClosed(read);
      return read;
    }
    // Ignore the read if answers changed while it ran.
    if (changes === saver.changes()) {
      saver.learn(read.questions);
      for (const question of read.questions) {
        const { question_id, response } = question;
        if (saver.unsaved().has(question_id)) continue;
        if (!isSameResponse(parseTypedAnswer(question, typed.get(question_id) ?? null), response))
          typed.set(question_id, answerFieldValue(question, response));
      }
    }
    setAttempt(read);
    return read;
  }

  useRespelled(begun.questions, typed, put);
  const look = () => {
    readAgain().catch(() => {
      // The next return to the tab retries.
    });
  };
  // A layout effect, before the user can type: a remounted uncontrolled field would show its old value.
  useLayoutEffect(
    () =>
      saver.onChange(() => {
        draw((count) => count + 1);
        // The attempt may have ended: its time is up, or it was submitted in another tab.
        if (isPermanentError(saver.fault())) look();
      }),
    [saver],
  );
  useEffect(() => {
    saver.hurry();
    return () => saver.hurry();
  }, [saver]);
  useComingAndGoing(look, () => saver.sendAway());

  return { attempt, saver, typed: ({ question_id }) => typed.get(question_id) ?? null, put, readAgain };
}

/** Reformats typed numbers when the language changes. */
function useRespelled(
  questions: readonly Question[],
  typed: Map<number, AttemptQuestionResponse>,
  put: (question: Question, text: string) => void,
): void {
  const language = useLanguage();
  const [former, setFormer] = useState(language);
  if (former === language) return;
  setFormer(language);
  for (const question of questions) {
    const text = typed.get(question.question_id);
    if (question.kind !== "NUMERIC" || typeof text !== "string") continue;
    const number = parseNumberWithDecimalSeparator(text, decimalSeparatorOfLanguage(former));
    if (typeof number === "number") typed.set(question.question_id, formatUnroundedNumber(number));
    else put(question, text);
  }
}

/** Calls `look` when the page becomes visible, and `leave` when it may close. */
function useComingAndGoing(look: () => void, leave: () => void): void {
  const latest = useRef({ look, leave });
  latest.current = { look, leave };
  useEffect(() => {
    const come = () => latest.current.look();
    const go = () => latest.current.leave();
    const turn = () => (document.visibilityState === "hidden" ? go() : come());
    document.addEventListener("visibilitychange", turn);
    addEventListener("focus", come);
    addEventListener("pagehide", go);
    return () => {
      document.removeEventListener("visibilitychange", turn);
      removeEventListener("focus", come);
      removeEventListener("pagehide", go);
    };
  }, []);
}
