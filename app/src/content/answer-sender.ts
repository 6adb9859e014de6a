import { type Given, isSame, type Response, type UnsavedAnswers } from "./unsaved-answers.ts";

type SenderDeps = {
  send(given: Given[]): Promise<unknown>;
  unsaved: Pick<UnsavedAnswers, "ready" | "sending" | "sent">;
  /** Told when a request has ended. */
  onEnd(): void;
};

/** Sends what is not saved, and knows how the last request ended. */
export type AnswerSender = {
  /** Why the last request failed. */
  fault(): unknown;
  clearFault(): void;
  /** How many requests the service has taken. */
  taken(): number;
  /** Sends what is ready, after what is being sent: throws why it could not. */
  saveNow(): Promise<void>;
  /** Sends what is not on its way yet, at once, for a page that may end before an answer comes. */
  sendAway(): void;
};

export function createAnswerSender({ send, unsaved, onEnd }: SenderDeps): AnswerSender {
  const underWay = new Map<number, Response>();
  let last: Promise<void> = Promise.resolve();
  let fault: unknown;
  let taken = 0;

  const isNotUnderWay = ({ question_id, response }: Given) =>
    !underWay.has(question_id) || !isSame(underWay.get(question_id), response);

  async function sendAll(): Promise<void> {
    const given = unsaved.ready();
    if (given.length === 0) return;
    unsaved.sending(given);
    for (const { question_id, response } of given) underWay.set(question_id, response);
    try {
      await send(given);
      fault = undefined;
      taken++;
      unsaved.sent(given);
    } catch (error) {
      fault = error;
      throw error;
    } finally {
      underWay.clear();
      onEnd();
    }
  }

  return {
    fault: () => fault,
    clearFault() {
      fault = undefined;
    },
    taken: () => taken,
    /** One after the other, so that no older answer comes behind a newer one. */
    saveNow() {
      last = last.catch(() => {}).then(sendAll);
      return last;
    },
    sendAway() {
      const given = unsaved.ready().filter(isNotUnderWay);
      if (given.length === 0) return;
      unsaved.sending(given);
      send(given).catch(() => {
        // It is kept, and sent when the attempt is opened again.
      });
    },
  };
}
