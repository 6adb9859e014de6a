import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { exact } from "../components/typed-figure.ts";
import { decimalSign, readNumber } from "../components/typed-number.ts";
import { api, drafts, tokens } from "../service.ts";
import { beforeSignOut, usePerson } from "../session.tsx";
import { useLanguage } from "../texts.ts";
import {
  type AnswerSaver,
  createAnswerSaver,
  isRefusal,
  isSame,
  type Response,
  type Unsaved,
} from "./answer-saver.ts";
import { responseOf, typedOf } from "./answers.ts";

type Attempt = Schemas["QuizAttemptDetail"];
type Question = Schemas["AttemptQuestion"];

/** Those of this page, which go on while the learner looks at something else here. */
const savers = new Map<string, AnswerSaver>();

// What is not saved by then is kept for the same person's next sign-in.
tokens.onChange(() => {
  if (tokens.read()) return;
  for (const saver of savers.values()) saver.stop();
  savers.clear();
});

// Who signs out on purpose is asked about what is not saved, and has it saved first.
beforeSignOut(() => Promise.allSettled([...savers.values()].map((saver) => saver.saveNow())));

function saverOf(person: number, attempt_id: number): AnswerSaver {
  const thing = thingOf(attempt_id);
  const known = savers.get(`${person} ${thing}`);
  if (known) return known;
  const kept = () => Object.entries((drafts.read(person, thing)?.value ?? {}) as Record<string, Unsaved>);
  const saver = createAnswerSaver({
    send: (responses) => save(attempt_id, responses),
    wait: untilOnline,
    store: {
      read: () => kept().map(([id, unsaved]) => [Number(id), unsaved]),
      write(id, unsaved) {
        const others = kept().filter(([one]) => one !== String(id));
        if (unsaved) others.push([String(id), unsaved]);
        if (others.length > 0) drafts.write(person, thing, Object.fromEntries(others));
        else drafts.remove(person, thing);
      },
    },
  });
  savers.set(`${person} ${thing}`, saver);
  return saver;
}

/** What was kept of attempts that have ended is of no use any more. */
export function forgetAnswers(person: number, attempts: readonly Schemas["QuizAttempt"][]): void {
  for (const { id, submitted_at } of attempts) if (submitted_at !== null) drafts.remove(person, thingOf(id));
}

const thingOf = (attempt_id: number): string => `attempt ${attempt_id}`;

/** More than that a browser does not send for a page that has ended. */
const mostBytesKeptAlive = 60_000;

function save(attempt_id: number, responses: Schemas["QuizResponses"]["responses"]) {
  const keepalive = new Blob([JSON.stringify(responses)]).size < mostBytesKeptAlive;
  const params = { path: { attempt_id } };
  return dataOf(api.saveQuizResponses({ params, body: { responses }, keepalive }));
}

/** Resolves after so many milliseconds, or sooner when the network is back. */
export function untilOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
  });
}

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

  const language = useLanguage();
  const [read, setRead] = useState(language);
  if (read !== language) {
    setRead(language);
    for (const question of begun.questions) respell(question, read);
  }
  /** What was a number in one language stays that number in another. */
  function respell(question: Question, former: string) {
    const text = typed.get(question.question_id);
    if (question.kind !== "NUMERIC" || typeof text !== "string") return;
    const number = readNumber(text, decimalSign(former));
    if (typeof number === "number") typed.set(question.question_id, exact(number));
    else put(question, text);
  }

  const look = () => {
    readAgain().catch(() => {
      // What cannot be read now is read when the tab is come back to.
    });
  };
  useEffect(
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
  useEffect(() => {
    const leave = () => saver.sendAway();
    const turn = () => (document.visibilityState === "hidden" ? leave() : look());
    document.addEventListener("visibilitychange", turn);
    addEventListener("focus", look);
    addEventListener("pagehide", leave);
    return () => {
      document.removeEventListener("visibilitychange", turn);
      removeEventListener("focus", look);
      removeEventListener("pagehide", leave);
    };
  }, [saver]);

  return { attempt, saver, typed: ({ question_id }) => typed.get(question_id) ?? null, put, readAgain };
}
