import { PlatformError } from "learning-platform-client";
import { secondsToWait } from "../refusals.ts";
import {
  createUnsavedAnswers,
  type Given,
  isSame,
  type Response,
  type Unsaved,
  type UnsavedStore,
} from "./unsaved-answers.ts";

type SaverWorld = {
  send(given: Given[]): Promise<unknown>;
  /** Resolves after so many milliseconds, or sooner when the network is back. */
  wait(ms: number): Promise<unknown>;
  store: UnsavedStore;
};

export type AnswerSaver = {
  /** What is not saved yet. */
  unsaved(): ReadonlyMap<number, Unsaved>;
  /** Why the last try failed. */
  fault(): unknown;
  /** How often something was put or saved so far. */
  changes(): number;
  /** What of it can be sent. */
  ready(): Given[];
  /** Has an answer saved, once nothing follows it for a moment. */
  put(questionId: number, typed: Response, response: Response | undefined): void;
  /** Saves what there is now, without a further try: throws why it could not. */
  saveNow(): Promise<void>;
  /** Saves at once, and tries for as long as it takes. */
  hurry(): void;
  /** Sends what is not on its way yet, for a page that may end before an answer comes. */
  sendAway(): void;
  /** Gives up what is not saved, of an attempt that takes nothing more. */
  drop(): void;
  /** Tells what the service has. */
  learn(saved: readonly Given[]): void;
  /** The same, after a while: what it has by now is given up here, and so is what it has a newer answer to. */
  reconcile(saved: readonly Given[]): void;
  /** Tries no more; what is not saved stays kept. */
  stop(): void;
  onChange(listener: () => void): () => void;
};

/** Between the last change and its being saved. */
const restMs = 600;

/** Saves the answers of an attempt as they change, and tries again what fails until the service has taken or refused it. */
export function createAnswerSaver({ send, wait, store }: SaverWorld): AnswerSaver {
  const { ready, ...unsaved } = createUnsavedAnswers(store);
  const listeners = new Set<() => void>();
  const underWay = new Map<number, Response>();
  let last: Promise<void> = Promise.resolve();
  let isTrying = false;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let fault: unknown;
  let changes = 0;

  const isNotUnderWay = ({ question_id, response }: Given) =>
    !underWay.has(question_id) || !isSame(underWay.get(question_id), response);
  const tell = () => {
    for (const listener of listeners) listener();
  };

  async function sendAll(): Promise<void> {
    const given = ready();
    if (given.length === 0) return;
    unsaved.sending(given);
    for (const { question_id, response } of given) underWay.set(question_id, response);
    try {
      await send(given);
      fault = undefined;
      changes++;
      unsaved.sent(given);
    } catch (error) {
      fault = error;
      throw error;
    } finally {
      underWay.clear();
      tell();
    }
  }

  /** One after the other, so that no older answer comes behind a newer one. */
  const saveNow = () => {
    last = last.catch(() => {}).then(sendAll);
    return last;
  };

  async function keepTrying(): Promise<void> {
    if (isTrying) return;
    isTrying = true;
    await untilRefused(saveNow, wait, () => !isStopped && ready().length > 0);
    isTrying = false;
  }

  const hurry = () => {
    clearTimeout(timer);
    void keepTrying();
  };

  return {
    unsaved: () => unsaved.all,
    fault: () => fault,
    changes: () => changes,
    ready,
    put(questionId, typed, response) {
      changes++;
      if (isRefusal(fault)) fault = undefined;
      unsaved.put(questionId, typed, response);
      clearTimeout(timer);
      timer = setTimeout(hurry, restMs);
      tell();
    },
    saveNow,
    hurry,
    sendAway() {
      const given = ready().filter(isNotUnderWay);
      if (given.length === 0) return;
      unsaved.sending(given);
      send(given).catch(() => {
        // It is kept, and sent when the attempt is opened again.
      });
    },
    drop() {
      clearTimeout(timer);
      unsaved.drop();
      fault = undefined;
    },
    learn: unsaved.learn,
    reconcile: unsaved.reconcile,
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

/** Does something as long as there is something to do, again after a pause where it fails, until it is refused. */
async function untilRefused(
  work: () => Promise<void>,
  wait: SaverWorld["wait"],
  goesOn: () => boolean,
): Promise<void> {
  let failures = 0;
  while (goesOn())
    try {
      await work();
      failures = 0;
    } catch (error) {
      if (isRefusal(error)) return;
      await wait(pauseMs(++failures, error));
    }
}

/** Whether the service has understood, and will say the same again. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof PlatformError && error.status < 500 && ![408, 409, 425, 429].includes(error.status);

/** How long to wait before the next try: longer each time, or as long as the service says. */
export function pauseMs(failures: number, error: unknown): number {
  return Math.max(secondsToWait(error) * 1000, Math.min(30_000, 1000 * 2 ** (failures - 1)));
}
