import {
  type AttemptQuestionResponse,
  isSameResponse,
  type QuestionIdWithResponse,
  type UnsavedAnswersTracker,
} from "./unsaved-answers.ts";

type SenderDeps = {
  send(given: QuestionIdWithResponse[]): Promise<unknown>;
  unsaved: Pick<UnsavedAnswersTracker, "ready" | "sending" | "sent">;
  onEnd(): void;
};

export type AnswerSender = {
  fault(): unknown;
  clearFault(): void;
  taken(): number;
  /** Sends what is ready, after the request in flight. Throws if it fails. */
  saveNow(): Promise<void>;
  /** Sends what is not in flight, for a page that is about to close. */
  sendAway(): void;
};

export function createAnswerSender({ send, unsaved, onEnd }: SenderDeps): AnswerSender {
  const underWay = new Map<number, AttemptQuestionResponse>();
  let last: Promise<void> = Promise.resolve();
  let fault: unknown;
  let taken = 0;

  const isNotUnderWay = ({ question_id, response }: QuestionIdWithResponse) =>
    !underWay.has(question_id) || !isSameResponse(underWay.get(question_id), response);

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
    /** Requests run one after the other, so an older answer never overwrites a newer one. */
    saveNow() {
      last = last.catch(() => {}).then(sendAll);
      return last;
    },
    sendAway() {
      const given = unsaved.ready().filter(isNotUnderWay);
      if (given.length === 0) return;
      unsaved.sending(given);
      send(given).catch(() => {
        // It stays in storage and is sent when the attempt is opened again.
      });
    },
  };
}
