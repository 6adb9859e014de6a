import { PlatformError } from "learning-platform-client";
import { secondsToWait } from "../refusals.ts";
import { createAnswerSender } from "./answer-sender.ts";
import {
  createUnsavedAnswers,
  type Given,
  type Response,
  type Unsaved,
  type UnsavedStore,
} from "./unsaved-answers.ts";

type SaverDeps = {
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
export function createAnswerSaver({ send, wait, store }: SaverDeps): AnswerSaver {
  const unsaved = createUnsavedAnswers(store);
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
      if (isRefusal(sender.fault())) sender.clearFault();
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

/** Does something as long as there is something to do, again after a pause where it fails, until it is refused. */
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
