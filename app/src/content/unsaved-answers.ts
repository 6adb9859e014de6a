import type { Schemas } from "learning-platform-client";

export type Response = Schemas["AttemptQuestion"]["response"];
export type Given = { question_id: number; response: Response };

/** An answer that the service is not known to have. */
export type Unsaved = {
  /** As it stands in its field. */
  typed: Response;
  /** What is sent for it; absent while what was typed is no answer. */
  response?: Response;
  /** What the service may have in its place: what it had before, and what has been sent since. */
  over: Response[];
};

/** Answers by their questions, kept where they outlive the page. */
export type UnsavedStore = {
  read(): [number, Unsaved][];
  /** Keeps an answer, or with undefined keeps it no more; those of other questions stay, which another tab may keep. */
  write(questionId: number, unsaved: Unsaved | undefined): void;
};

/** The answers of an attempt that the service is not known to have, and what it is known to have. */
export type UnsavedAnswers = {
  all: ReadonlyMap<number, Unsaved>;
  /** What of it can be sent. */
  ready(): Given[];
  put(questionId: number, typed: Response, response: Response | undefined): void;
  /** Notes what is sent now: the service may have it from here on. */
  sending(given: readonly Given[]): void;
  /** The service has taken these; what was changed while they were on their way is still unsaved. */
  sent(given: readonly Given[]): void;
  /** Tells what the service has. */
  learn(saved: readonly Given[]): void;
  /** The same, after a while: what it has by now is given up here, and so is what it has a newer answer to. */
  reconcile(saved: readonly Given[]): void;
  drop(): void;
};

export function createUnsavedAnswers(store: UnsavedStore): UnsavedAnswers {
  const unsaved = new Map<number, Unsaved>(store.read());
  const saved = new Map<number, Response>();
  const keep = (questionId: number, one: Unsaved | undefined) => {
    if (one) unsaved.set(questionId, one);
    else unsaved.delete(questionId);
    store.write(questionId, one);
  };
  const learn = (given: readonly Given[]) => {
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
        if (one && !one.over.some((known) => isSame(known, response)))
          keep(question_id, { ...one, over: [...one.over, response] });
      }
    },
    sent(given) {
      learn(given);
      for (const { question_id, response } of given)
        if (isSame(unsaved.get(question_id)?.response, response)) keep(question_id, undefined);
    },
    reconcile(given) {
      learn(given);
      for (const [id, { response, over }] of [...unsaved]) {
        const there = saved.get(id) ?? null;
        if (isSame(there, response) || !over.some((known) => isSame(known, there))) keep(id, undefined);
      }
    },
    drop() {
      for (const id of [...unsaved.keys()]) keep(id, undefined);
    },
  };
}

/** Whether two answers are one; the order of what was ticked says nothing. */
export function isSame(one: Response | undefined, other: Response | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((id) => other.includes(id));
  return one === other;
}
