import { sql } from "drizzle-orm";
import * as z from "zod";
import type { ChatMessage } from "../../schema/api/chat.ts";
import { noteOnRequest } from "../async/request-context.ts";
import type { Actor } from "../auth/actor.ts";
import type { Caller } from "../auth/guards.ts";
import { memoize } from "../caching/memoize.ts";
import { rowsOf } from "../db/query/rows.ts";
import { retrying } from "../db/retry-window.ts";
import { errorWords } from "../error-codes.ts";
import { HttpError, unavailable } from "../errors.ts";
import type { Delta } from "../generations/chunk-batch.ts";
import { keepListening } from "../generations/leases.ts";
import { allowedModels } from "../llm/models.ts";
import { describeError } from "../logging/log.ts";
import { leaveTurn } from "./close-turn.ts";
import { followAnswer, type Reopen } from "./follow-answer.ts";
import { type MessageInput, type OpenTurn, openTurn, type StoredAnswer } from "./open-turn.ts";
import { explainSessionRefusal, personInSession } from "./ownership.ts";
import { sourcesOfAnswer } from "./sources.ts";
import type { TurnDeps } from "./turn.ts";
import { turnLimiter } from "./turn-limiter.ts";

/**
 * An answer as it is made, in the batches in which it came. It ends with the stored message, or with why there is none.
 */
type Turn = AsyncGenerator<Delta[], { message: ChatMessage } | { error: string; code: string }, undefined>;

/** What a message is answered with: all at once, or as it is made. */
export type Reply = { stored: StoredAnswer } | Turn;

/**
 * One turn of the tutor: stores the learner's message and answers it, from the tree at once, else as the answer is
 * made. Throws 400, 401, 403, 404 or 409 as `openTurn` says.
 */
export async function takeTurn(
  deps: TurnDeps,
  caller: Caller,
  sessionId: number,
  input: MessageInput,
): Promise<Reply> {
  const inTurn = turnLimiter(deps.db, deps.config);
  const open = (input: MessageInput, isAgain = false) =>
    inTurn(
      () =>
        openTurn(deps.db, caller, sessionId, input, {
          defaultModel: deps.llm.defaultModel,
          allowedModels: allowedModels(deps.config),
          tutorPrompt: deps.config.TUTOR_PROMPT_NAME,
          now: deps.now(),
        }),
      isAgain,
    );
  const turn = await open(input);
  if (turn.made) deps.metrics.moveMade(turn.made);
  if (turn.step) deps.metrics.stepMade(turn.step);
  if (!("stored" in turn))
    return answerTurn(deps, turn, () =>
      retrying(() => open({ content: turn.content, question: turn.message_id }, true)),
    );
  noteOnRequest({ cache: "hit" });
  const { stored } = turn;
  const sources = await sourcesNow(deps, caller.id, { id: stored.id, text: textOf(stored.chunks) });
  return { stored: { ...stored, sources } };
}

/** A class is given the same stored answer again and again. */
const textOf = memoize((chunks: readonly string[]) => chunks.join(""));

/** What an answer cites; nothing where that cannot be read just now, since the answer itself is there. */
async function sourcesNow(deps: TurnDeps, person: number, answer: { id: number; text: string }) {
  try {
    return await sourcesOfAnswer(deps.db, person, answer);
  } catch (error) {
    deps.log.error({ error: describeError(error) }, "the sources of an answer were not read");
    return [];
  }
}

const OpenQuestion = z.object({ id: z.int(), content: z.string() });

/**
 * Listens again, from its first chunk, to the answer that a session is waiting for. Whoever asked for it may be gone,
 * or listen still. Undefined when no answer is being written; 404 without such a session, 403 for another's.
 */
export async function resumeTurn(
  deps: TurnDeps,
  caller: Actor,
  sessionId: number,
): Promise<Reply | undefined> {
  const [question] = await rowsOf(
    deps.db,
    OpenQuestion,
    sql`select m.id, m.content
        from chat_sessions as s join chat_messages as m on m.id = s.answering_message_id
        where s.id = ${sessionId} and s.user_id = ${personInSession(caller, sessionId)} and s.answering_since > now() - answer_limit()`,
  );
  if (question)
    return takeTurn(deps, caller, sessionId, { content: question.content, question: question.id });
  await explainSessionRefusal(deps.db, caller, sessionId);
  return undefined;
}

const Stopped = z.object({ message_id: z.int(), content: z.string(), is_private: z.boolean() });

/**
 * Stops the answer that one's session is waiting for, keeps what was said of it, and answers the message that it
 * became. Undefined when no answer is being written, and "shared" when a class is waiting for it too: that one goes on.
 */
export async function stopTurn(
  deps: TurnDeps,
  caller: Actor,
  sessionId: number,
): Promise<Reply | "shared" | undefined> {
  const stop = sql`select message_id, content, is_private from stop_turn(${sessionId}, ${personInSession(caller, sessionId)})`;
  const [stopped] = await rowsOf(deps.db, Stopped, stop);
  if (!stopped) {
    await explainSessionRefusal(deps.db, caller, sessionId);
    return undefined;
  }
  if (!stopped.is_private) return "shared";
  return takeTurn(deps, caller, sessionId, { content: stopped.content, question: stopped.message_id });
}

/**
 * Answers an open turn, stores the answer, and only then ends. Before its first batch it throws 503 when there is no
 * usable prompt or no LLM. After it a failure is an end with `error`, and nothing of the answer is kept. Whoever reads
 * must read to the end, also for a learner who has gone away, so that the answer is not lost.
 */
async function* answerTurn(deps: TurnDeps, turn: OpenTurn, reopen: Reopen): Turn {
  const lease = { session: turn.session_id, token: turn.token };
  using kept = keepListening(deps.signsOfLife, lease);
  noteOnRequest({ cache: turn.shared ? "miss" : "bypass" });
  let begun = false;
  try {
    const answer = followAnswer(deps, turn, async () => {
      const reopened = await reopen();
      if (!("stored" in reopened)) lease.token = reopened.token;
      return reopened;
    });
    let step = await answer.next();
    for (; !step.done; step = await answer.next()) {
      begun = true;
      yield step.value;
    }
    if (step.value.meta.source === "cache") noteOnRequest({ cache: "hit" });
    const { id, content: text } = step.value;
    return { message: { ...step.value, sources: await sourcesNow(deps, turn.user_id, { id, text }) } };
  } catch (error) {
    await kept.end();
    await leaveTurn(deps.db, lease).catch((failure) =>
      deps.log.error({ error: describeError(failure) }, "a turn was not left"),
    );
    if (!begun) throw asRefusal(error, deps.signal);
    if (!isRefusal(error)) deps.log.error({ error: describeError(error) }, "an answer broke off");
    return brokenOff;
  }
}

/** What a learner is told when the answer fails after a part of it was sent. */
const brokenOff = { error: errorWords.broke_off, code: "broke_off" } as const;

/** What failed before the first word is answered with a status of its own. */
function asRefusal(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof HttpError) return error;
  return signal.aborted ? unavailable("tutor_unreachable", error) : error;
}

/** The session was deleted, its learner went on elsewhere, or a budget is used up: no failure of the service. */
const isRefusal = (error: unknown): boolean => error instanceof HttpError && error.status < 500;
