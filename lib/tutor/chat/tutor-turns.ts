import { sql } from "drizzle-orm";
import * as z from "zod";
import type { ChatMessage } from "../../../schema/api/tutor/chat.ts";
import { errorMessageTemplates } from "../../error-codes.ts";
import { HttpError, unavailable } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Caller } from "../../identity/auth/guards.ts";
import { noteOnRequest } from "../../platform/async/request-context.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { retryWhileUnavailable } from "../../platform/db/retry-window.ts";
import { allowedModels } from "../../platform/llm/models.ts";
import { describeError } from "../../platform/logging/log.ts";
import type { AnswerStreamEvent } from "../generations/chunk-batch.ts";
import { keepListenerLeaseRenewed } from "../generations/leases.ts";
import { releaseUnansweredTurn } from "./close-turn.ts";
import { followOrProduceAnswer, type ReopenTurn } from "./follow-answer.ts";
import { type MessageInput, type OpenTurn, openTurn } from "./open-turn.ts";
import { ensureOwnSession, personIdIfSessionInTokenReachSql } from "./ownership.ts";
import { findAnswerSources } from "./sources.ts";
import type { StoredAnswer } from "./stored-answer.ts";
import type { TurnDeps } from "./turn.ts";
import { turnLimiter } from "./turn-limiter.ts";

/** Batches, then the stored message, or the reason why there is none. */
type Turn = AsyncGenerator<
  AnswerStreamEvent[],
  { message: ChatMessage } | { error: string; code: string },
  undefined
>;

export type TutorReply = { stored: StoredAnswer } | Turn;

/**
 * Stores the learner's message and answers it from the tree, or streams a new answer. 400, 401, 403, 404 or
 * 409 as `openTurn`.
 */
export async function answerLearnerMessage(
  deps: TurnDeps,
  caller: Caller,
  sessionId: number,
  input: MessageInput,
): Promise<TutorReply> {
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
      retryWhileUnavailable(() => open({ content: turn.content, question: turn.message_id }, true)),
    );
  noteOnRequest({ cache: "hit" });
  const { stored } = turn;
  const sources = await sourcesNow(deps, caller.id, { id: stored.id, text: textOf(stored.chunks) });
  return { stored: { ...stored, sources } };
}

/** A class gets the same stored answer many times. */
const textOf = memoize((chunks: readonly string[]) => chunks.join(""));

/** None on errors, since the answer itself is available. */
async function sourcesNow(deps: TurnDeps, person: number, answer: { id: number; text: string }) {
  try {
    return await findAnswerSources(deps.db, person, answer);
  } catch (error) {
    deps.log.error({ error: describeError(error) }, "the sources of an answer were not read");
    return [];
  }
}

const OpenQuestion = z.object({ id: z.int(), content: z.string() });

/**
 * Follows a session's pending answer from its first chunk, even after the original request. Undefined if none
 * is in progress; 404 without such a session, 403 for another person's.
 */
export async function resumeTurn(
  deps: TurnDeps,
  caller: Actor,
  sessionId: number,
): Promise<TutorReply | undefined> {
  const [question] = await rowsOf(
    deps.db,
    OpenQuestion,
    sql`select m.id, m.content
        from chat_sessions as s join chat_messages as m on m.id = s.answering_message_id
        where s.id = ${sessionId} and s.user_id = ${personIdIfSessionInTokenReachSql(caller, sessionId)} and s.answering_since > now() - answer_time_limit()`,
  );
  if (question)
    return answerLearnerMessage(deps, caller, sessionId, {
      content: question.content,
      question: question.id,
    });
  await ensureOwnSession(deps.db, caller, sessionId);
  return undefined;
}

const Stopped = z.object({ message_id: z.int(), content: z.string(), is_private: z.boolean() });

/**
 * Stops a private answer and keeps its text so far. Undefined if none is in progress; "shared" if a class
 * waits for it: it continues.
 */
export async function stopTurn(
  deps: TurnDeps,
  caller: Actor,
  sessionId: number,
): Promise<TutorReply | "shared" | undefined> {
  const stop = sql`select message_id, content, is_private from request_turn_stop(${sessionId}, ${personIdIfSessionInTokenReachSql(caller, sessionId)})`;
  const [stopped] = await rowsOf(deps.db, Stopped, stop);
  if (!stopped) {
    await ensureOwnSession(deps.db, caller, sessionId);
    return undefined;
  }
  if (!stopped.is_private) return "shared";
  return answerLearnerMessage(deps, caller, sessionId, {
    content: stopped.content,
    question: stopped.message_id,
  });
}

/**
 * Stores an open turn's answer, and only then ends. Before the first batch it throws 503 without a usable
 * prompt or LLM; a later failure ends with `error` and stores nothing. Callers must read to the end, or the
 * answer is lost.
 */
async function* answerTurn(deps: TurnDeps, turn: OpenTurn, reopen: ReopenTurn): Turn {
  const lease = { session: turn.session_id, token: turn.token };
  using kept = keepListenerLeaseRenewed(deps.signsOfLife, lease);
  noteOnRequest({ cache: turn.shared ? "miss" : "bypass" });
  let begun = false;
  try {
    const answer = followOrProduceAnswer(deps, turn, async () => {
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
    await releaseUnansweredTurn(deps.db, lease).catch((failure) =>
      deps.log.error({ error: describeError(failure) }, "a turn could not be released"),
    );
    if (!begun) throw asRefusal(error, deps.signal);
    if (!isRefusal(error)) deps.log.error({ error: describeError(error) }, "an answer broke off");
    return brokenOff;
  }
}

/** After a part of the answer was sent. */
const brokenOff = { error: errorMessageTemplates.broke_off, code: "broke_off" } as const;

/** Before the first batch, an error gets its own status. */
function asRefusal(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof HttpError) return error;
  return signal.aborted ? unavailable("tutor_unreachable", error) : error;
}

/** The session was deleted, the learner moved on, or a budget is used up. */
const isRefusal = (error: unknown): boolean => error instanceof HttpError && error.status < 500;
