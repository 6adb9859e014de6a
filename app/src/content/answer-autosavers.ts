import { dataOf, type Schemas } from "learning-platform-client";
import { apiClient, draftStore, tokenStore } from "../service.ts";
import { registerWorkBeforeSignOut } from "../session.tsx";
import { type AnswerAutosaver, createAnswerAutosaver } from "./answer-autosaver.ts";
import type { UnsavedQuestionAnswer } from "./unsaved-answers.ts";

/** Savers outlive their screen while the learner is elsewhere in the app. */
const savers = new Map<string, AnswerAutosaver>();

// Answers that are still unsaved stay in storage for the same person's next sign-in.
tokenStore.onChange(() => {
  if (tokenStore.read()) return;
  for (const saver of savers.values()) saver.stop();
  savers.clear();
});

// An explicit sign-out saves first.
registerWorkBeforeSignOut(() => Promise.allSettled([...savers.values()].map((saver) => saver.saveNow())));

/** The saver of an attempt, with answers restored from storage. */
export function getOrCreateAnswerAutosaver(person: number, attempt_id: number): AnswerAutosaver {
  const thing = thingOf(attempt_id);
  const known = savers.get(`${person} ${thing}`);
  if (known) return known;
  const kept = () =>
    Object.entries((draftStore.read(person, thing)?.value ?? {}) as Record<string, UnsavedQuestionAnswer>);
  const saver = createAnswerAutosaver({
    send: (responses) => save(attempt_id, responses),
    wait: delayOrUntilOnline,
    store: {
      read: () => kept().map(([id, unsaved]) => [Number(id), unsaved]),
      write(id, unsaved) {
        const others = kept().filter(([one]) => one !== String(id));
        if (unsaved) others.push([String(id), unsaved]);
        if (others.length > 0) draftStore.write(person, thing, Object.fromEntries(others));
        else draftStore.remove(person, thing);
      },
    },
  });
  savers.set(`${person} ${thing}`, saver);
  return saver;
}

export function deleteDraftsOfSubmittedAttempts(
  person: number,
  attempts: readonly Schemas["QuizAttempt"][],
): void {
  for (const { id, submitted_at } of attempts)
    if (submitted_at !== null) draftStore.remove(person, thingOf(id));
}

const thingOf = (attempt_id: number): string => `attempt ${attempt_id}`;

/** Browsers limit the body of a keepalive request to 64 KiB. */
const maxKeepaliveBodyBytes = 60_000;

function save(attempt_id: number, responses: Schemas["QuizResponses"]["responses"]) {
  const keepalive = new Blob([JSON.stringify(responses)]).size < maxKeepaliveBodyBytes;
  const params = { path: { attempt_id } };
  return dataOf(apiClient.saveQuizResponses({ params, body: { responses }, keepalive }));
}

/** Resolves after this many milliseconds, or when the network is back. */
export function delayOrUntilOnline(ms: number): Promise<void> {
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
