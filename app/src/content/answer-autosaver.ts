import { PlatformError } from "learning-platform-client";
import { retryAfterSecondsOrZero } from "../error-classes.ts";
import { createAnswerSender } from "./answer-sender.ts";
import {
  type AttemptQuestionResponse,
  createUnsavedAnswersTracker,
  type QuestionIdWithResponse,
  type UnsavedAnswersStore,
  type UnsavedQuestionAnswer,
} from "./unsaved-answers.ts";

type SaverDeps = {
  send(given: QuestionIdWithResponse[]): Promise<unknown>;
  /** Resolves after this many milliseconds, or when the network is back. */
  wait(ms: number): Promise<unknown>;
  store: UnsavedAnswersStore;
};

export type AnswerAutosaver = {
  unsaved(): ReadonlyMap<number, UnsavedQuestionAnswer>;
  fault(): unknown;
  changes(): number;
  /** The unsaved answers that can be sent. */
  ready(): QuestionIdWithResponse[];
  /** Saves an answer after a short pause in typing. */
  put(
    questionId: number,
    typed: AttemptQuestionResponse,
    response: AttemptQuestionResponse | undefined,
  ): void;
  /** Saves now, once. Throws if it fails. */
  saveNow(): Promise<void>;
  /** Saves now and retries until it succeeds. */
  hurry(): void;
  /** Sends what is not in flight, for a page that is about to close. */
  sendAway(): void;
  /** Discards unsaved answers, since the attempt is closed. */
  drop(): void;
  /** Records the server's state. */
  learn(saved: readonly QuestionIdWithResponse[]): void;
  /** Records a later state of the server. Discards unsaved answers that it has, or has newer ones for. */
  reconcile(saved: readonly QuestionIdWithResponse[]): void;
  /** Stops retrying. Unsaved answers stay in storage. */
  stop(): void;
  onChange(listener: () => void): () => void;
};

const restMs = 600;

/** Saves the answers of an attempt as they change, and retries until the service accepts or rejects them. */
export function createAnswerAutosaver({ send, wait, store }: SaverDeps): AnswerAutosaver {
  const unsaved = createUnsavedAnswersTracker(store);
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const sender = createAnswerSender({ send, unsaved, onEnd: tell });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isTrying = false;
  let isStopped = false;
  let puts = 0;

  async function keepTrying(): Promise<void> {
    if (isTrying) return;
    isTrying = true;
    await untilRefused(sender.saveNow, wait, () => !isStopped && unsaved.ready().length > 0);
    isTrying = false;
  }

  const hurry = () => {
    clearTimeout(timer);
    void keepTrying();
  };

  return {
    unsaved: () => unsaved.all,
    ready: unsaved.ready,
    learn: unsaved.learn,
    reconcile: unsaved.reconcile,
    fault: sender.fault,
    saveNow: sender.saveNow,
    sendAway: sender.sendAway,
    changes: () => puts + sender.taken(),
    hurry,
    put(questionId, typed, response) {
      puts++;
      if (isPermanentError(sender.fault())) sender.clearFault();
      unsaved.put(questionId, typed, response);
      clearTimeout(timer);
      timer = setTimeout(hurry, restMs);
      tell();
    },
    drop() {
      clearTimeout(timer);
      unsaved.drop();
      sender.clearFault();
    },
    stop() {
      clearTimeout(timer);
      isStopped = true;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Runs work while there is any. Retries failures after a pause until a permanent error. */
async function untilRefused(
  work: () => Promise<void>,
  wait: SaverDeps["wait"],
  goesOn: () => boolean,
): Promise<void> {
  let failures = 0;
  while (goesOn())
    try {
      await work();
      failures = 0;
    } catch (error) {
      if (isPermanentError(error)) return;
      await wait(retryDelayMs(++failures, error));
    }
}

/** Whether the error is permanent: a 4xx that a retry would get again. */
export const isPermanentError = (error: unknown): boolean =>
  error instanceof PlatformError && error.status < 500 && ![408, 409, 425, 429].includes(error.status);

/** Exponential backoff up to 30 seconds, or Retry-After if that is longer. */
export function retryDelayMs(failures: number, error: unknown): number {
  return Math.max(retryAfterSecondsOrZero(error) * 1000, Math.min(30_000, 1000 * 2 ** (failures - 1)));
}
