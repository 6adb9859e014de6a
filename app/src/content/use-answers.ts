import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { exact } from "../components/typed-figure.ts";
import { decimalSign, readNumber } from "../components/typed-number.ts";
import { api } from "../service.ts";
import { usePerson } from "../session.tsx";
import { useLanguage } from "../texts.ts";
import { type AnswerSaver, isRefusal } from "./answer-saver.ts";
import { saverOf } from "./answer-savers.ts";
import { responseOf, typedOf } from "./answers.ts";
import { isSame, type Response } from "./unsaved-answers.ts";

type Attempt = Schemas["QuizAttemptDetail"];
type Question = Schemas["AttemptQuestion"];

export type Answers = {
  /** The attempt as the service was last known to have it. */
  attempt: Attempt;
  saver: AnswerSaver;
  /** What stands in the field of a question. */
  typed(question: Question): Response;
  put(question: Question, typed: Response): void;
  /** Reads what was saved elsewhere, such as in another tab; where nothing waits to be saved here, it is shown. */
  readAgain(): Promise<Attempt>;
};

/**
 * The answers of an attempt that is open: they are saved as they change, before the page is left, and with what was
 * kept of an earlier visit. `onClosed` is told of an attempt that was found to have ended.
 */
export function useAnswers(begun: Attempt, onClosed: (attempt: Attempt) => void): Answers {
  const { profile } = usePerson();
  const [attempt, setAttempt] = useState(begun);
  const [, draw] = useState(0);
  const saver = useMemo(() => {
    const found = saverOf(profile.id, begun.id);
    found.reconcile(begun.questions);
    return found;
  }, [profile.id, begun.id]);
  const [typed] = useState(
    () =>
      new Map(
        begun.questions.map((question) => [
          question.question_id,
          saver.unsaved().get(question.question_id)?.typed ?? typedOf(question, question.response),
        ]),
      ),
  );

  function put(question: Question, value: Response) {
    typed.set(question.question_id, value);
    saver.put(question.question_id, value, responseOf(question, value));
  }

  async function readAgain(): Promise<Attempt> {
    const changes = saver.changes();
    const read = await dataOf(api.getQuizAttempt({ params: { path: { attempt_id: begun.id } } }));
    if (read.submitted_at !== null) {
      saver.drop();
      onClosed(read);
      return read;
    }
    // What was answered meanwhile is newer than what was read.
    if (changes === saver.changes()) {
      saver.learn(read.questions);
      for (const question of read.questions) {
        const { question_id, response } = question;
        if (saver.unsaved().has(question_id)) continue;
        if (!isSame(responseOf(question, typed.get(question_id) ?? null), response))
          typed.set(question_id, typedOf(question, response));
      }
    }
    setAttempt(read);
    return read;
  }

  useRespelled(begun.questions, typed, put);
  const look = () => {
    readAgain().catch(() => {
      // What cannot be read now is read when the tab is come back to.
    });
  };
  // Before anything can be typed: a field that is drawn anew by itself would show what stood there before.
  useLayoutEffect(
    () =>
      saver.onChange(() => {
        draw((count) => count + 1);
        // It may have ended: by its time, or in another tab.
        if (isRefusal(saver.fault())) look();
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

/** What was a number in one language stays that number in another. */
function useRespelled(
  questions: readonly Question[],
  typed: Map<number, Response>,
  put: (question: Question, text: string) => void,
): void {
  const language = useLanguage();
  const [former, setFormer] = useState(language);
  if (former === language) return;
  setFormer(language);
  for (const question of questions) {
    const text = typed.get(question.question_id);
    if (question.kind !== "NUMERIC" || typeof text !== "string") continue;
    const number = readNumber(text, decimalSign(former));
    if (typeof number === "number") typed.set(question.question_id, exact(number));
    else put(question, text);
  }
}

/** Calls `look` whenever the page is come back to, and `leave` whenever it may be left for good. */
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
