import { dataOf, type Schemas } from "learning-platform-client";
import { api, drafts, tokens } from "../service.ts";
import { beforeSignOut } from "../session.tsx";
import { type AnswerSaver, createAnswerSaver } from "./answer-saver.ts";
import type { Unsaved } from "./unsaved-answers.ts";

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

/** What saves the answers of an attempt, with what was kept of an earlier visit. */
export function saverOf(person: number, attempt_id: number): AnswerSaver {
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
export function deleteDrafts(person: number, attempts: readonly Schemas["QuizAttempt"][]): void {
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
