import type { Schemas } from "learning-platform-client";

export type AttemptQuestionResponse = Schemas["AttemptQuestion"]["response"];
export type QuestionIdWithResponse = { question_id: number; response: AttemptQuestionResponse };

export type UnsavedQuestionAnswer = {
  typed: AttemptQuestionResponse;
  /** The value to send. Absent if the typed text is not valid. */
  response?: AttemptQuestionResponse;
  /** Values that the service may have: the last known one and those sent since. */
  over: AttemptQuestionResponse[];
};

/** Answers by question, in storage that outlives the page. */
export type UnsavedAnswersStore = {
  read(): [number, UnsavedQuestionAnswer][];
  /** Stores an answer, or deletes it if undefined. Leaves other questions alone: another tab may own them. */
  write(questionId: number, unsaved: UnsavedQuestionAnswer | undefined): void;
};

/** Unsaved answers of an attempt, and the known state of the server. */
export type UnsavedAnswersTracker = {
  all: ReadonlyMap<number, UnsavedQuestionAnswer>;
  /** The unsaved answers that can be sent. */
  ready(): QuestionIdWithResponse[];
  put(
    questionId: number,
    typed: AttemptQuestionResponse,
    response: AttemptQuestionResponse | undefined,
  ): void;
  /** Records that these are being sent: from here on the service may have them. */
  sending(given: readonly QuestionIdWithResponse[]): void;
  /** Records that these were accepted. Answers that changed while in flight stay unsaved. */
  sent(given: readonly QuestionIdWithResponse[]): void;
  /** Records the server's state. */
  learn(saved: readonly QuestionIdWithResponse[]): void;
  /** Records a later state of the server. Discards unsaved answers that it has, or has newer ones for. */
  reconcile(saved: readonly QuestionIdWithResponse[]): void;
  drop(): void;
};

export function createUnsavedAnswersTracker(store: UnsavedAnswersStore): UnsavedAnswersTracker {
  const unsaved = new Map<number, UnsavedQuestionAnswer>(store.read());
  const saved = new Map<number, AttemptQuestionResponse>();
  const keep = (questionId: number, one: UnsavedQuestionAnswer | undefined) => {
    if (one) unsaved.set(questionId, one);
    else unsaved.delete(questionId);
    store.write(questionId, one);
  };
  const learn = (given: readonly QuestionIdWithResponse[]) => {
    for (const { question_id, response } of given) saved.set(question_id, response);
  };
  return {
    all: unsaved,
    learn,
    ready: () =>
      [...unsaved].flatMap(([id, { response }]) =>
        response === undefined ? [] : [{ question_id: id, response }],
      ),
    put(questionId, typed, response) {
      const over = unsaved.get(questionId)?.over ?? [saved.get(questionId) ?? null];
      keep(questionId, { typed, over, ...(response !== undefined && { response }) });
    },
    sending(given) {
      for (const { question_id, response } of given) {
        const one = unsaved.get(question_id);
        if (one && !one.over.some((known) => isSameResponse(known, response)))
          keep(question_id, { ...one, over: [...one.over, response] });
      }
    },
    sent(given) {
      learn(given);
      for (const { question_id, response } of given)
        if (isSameResponse(unsaved.get(question_id)?.response, response)) keep(question_id, undefined);
    },
    reconcile(given) {
      learn(given);
      for (const [id, { response, over }] of [...unsaved]) {
        const there = saved.get(id) ?? null;
        if (isSameResponse(there, response) || !over.some((known) => isSameResponse(known, there)))
          keep(id, undefined);
      }
    },
    drop() {
      for (const id of [...unsaved.keys()]) keep(id, undefined);
    },
  };
}

/** Equality of answers. The order of selected options does not matter. */
export function isSameResponse(
  one: AttemptQuestionResponse | undefined,
  other: AttemptQuestionResponse | undefined,
): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((id) => other.includes(id));
  return one === other;
}
