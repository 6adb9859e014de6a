import type { Deps } from "../../../lib/deps.ts";
import { HttpError, unavailable } from "../../../lib/errors.ts";
import type { HandlerInput } from "../../../lib/http/endpoint.ts";
import type { HttpReply } from "../../../lib/http/http-reply.ts";
import { remainingMilliseconds } from "../../../lib/http/lambda/remaining-time.ts";
import {
  bufferedEventStreamResponse,
  formatSseEvent,
  keepAliveComment,
  startEventStream,
} from "../../../lib/http/sse.ts";
import { memoize } from "../../../lib/platform/caching/memoize.ts";
import { databaseErrorReasonAndCode, isDatabaseUnavailable } from "../../../lib/platform/db/unavailable.ts";
import { describeError } from "../../../lib/platform/logging/log.ts";
import { questionAndMovesOfAnswer, storedAnswerToMessage } from "../../../lib/tutor/chat/messages.ts";
import type { StoredAnswer } from "../../../lib/tutor/chat/stored-answer.ts";
import { answerTimeLimitSeconds, type TurnDeps } from "../../../lib/tutor/chat/turn.ts";
import type { TutorReply } from "../../../lib/tutor/chat/tutor-turns.ts";
import { findLastQuestion } from "../../../lib/tutor/dialogue/answer-reader.ts";
import type { ChunkBatch } from "../../../lib/tutor/generations/chunk-batch.ts";
import type { ChatMessage, StreamEvent } from "../../../schema/api/tutor/chat.ts";
import type { AnswerCheck, AnswerPath } from "../../../schema/enums.ts";

export const eventStreamExample = `data: {"content":"Welcome! ","done":false}

data: {"content":"","done":true,"message_id":17}

`;

/** Answers end before the function's timeout, so a failure can still be reported. */
export function createTurnDeps(deps: Deps, http: HandlerInput["http"]): TurnDeps {
  const milliseconds = Math.max(
    Math.min(answerTimeLimitSeconds * 1000, remainingMilliseconds(http) - 5000),
    0,
  );
  const deadline = performance.now() + milliseconds;
  let signal: AbortSignal | undefined;
  return {
    ...deps,
    deadline,
    // Created on demand: stored answers need no timeout, and its timer would outlive them by minutes.
    get signal() {
      signal ??= AbortSignal.timeout(Math.max(Math.round(deadline - performance.now()), 0));
      return signal;
    },
  };
}

/** Interval of keep-alive comments, for clients and proxies. */
const keepAliveIntervalMs = 10_000;

/**
 * Sends a stored answer as one body. Otherwise waits up to `keepAliveIntervalMs` for the first chunk: an early
 * failure then gets its own status. After that it sends comments, and failures are events. Traces are flushed
 * after the end of the answer.
 */
export async function streamTutorReply(
  deps: Deps,
  http: HandlerInput["http"],
  reply: TutorReply,
): Promise<HttpReply> {
  if ("stored" in reply) return bufferedEventStreamResponse(storedEvents(reply.stored));
  const first = reply.next();
  const isLate = !(await settlesWithin(first, keepAliveIntervalMs));
  if (!isLate) await first;
  return startEventStream(http, async (send) => {
    if (isLate) send(keepAliveComment);
    const silence = setInterval(() => send(keepAliveComment), keepAliveIntervalMs);
    const tell = (text: string) => {
      silence.refresh();
      send(text);
    };
    try {
      let step = await first;
      for (; !step.done; step = await reply.next())
        tell(step.value.map((news) => (news === "restart" ? restartText : textOf(news))).join(""));
      tell("error" in step.value ? endText(step.value) : endOf(step.value.message));
    } catch (error) {
      tell(endText(failureOf(deps, error)));
    } finally {
      clearInterval(silence);
    }
    await deps.tracer.flush();
  });
}

function settlesWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timeout = setTimeout(resolve, milliseconds, false);
    const settled = () => {
      clearTimeout(timeout);
      resolve(true);
    };
    work.then(settled, settled);
  });
}

function failureOf({ log }: Deps, error: unknown): { error: string; code: string; retry_after?: number } {
  const refusal =
    error instanceof HttpError
      ? error
      : unavailable(
          isDatabaseUnavailable(error) ? databaseErrorReasonAndCode(error).reason : "broke_off",
          error,
        );
  if (refusal.status >= 500) log.error({ error: describeError(error) }, "an answer broke off");
  const retryAfter = Number(refusal.headers["Retry-After"]);
  return { error: refusal.message, code: refusal.code, ...(retryAfter > 0 && { retry_after: retryAfter }) };
}

/** The final message of a reply; 503 if it broke off. */
export async function finalMessageOfReply(reply: TutorReply): Promise<ChatMessage> {
  if ("stored" in reply) return storedAnswerToMessage(reply.stored);
  let step = await reply.next();
  while (!step.done) step = await reply.next();
  if ("error" in step.value) throw unavailable("answer_broke_off");
  return step.value.message;
}

const storedEvents = ({ chunks, id, meta, sources = [], ...kept }: StoredAnswer): Buffer<ArrayBuffer> =>
  Buffer.concat([
    bytesOf(chunks),
    Buffer.from(endOf({ id, ...questionAndMovesOfAnswer(questionOf(chunks), kept), meta, sources })),
  ]);

type Ending = Pick<ChatMessage, "id" | "question" | "moves" | "meta" | "sources">;

const endOf = ({ id, question, moves, meta: { path, checks }, sources }: Ending): string =>
  endText({
    message_id: id,
    ...(question && { question }),
    ...(moves.length > 0 && { moves }),
    ...(path && { path }),
    ...(checks && { checks }),
    ...(sources.length > 0 && { sources }),
  });

const eventsOf = (chunks: ChunkBatch): string =>
  chunks.map((content) => formatSseEvent({ content, done: false } satisfies StreamEvent)).join("");

/** A class may receive the same chunk or stored answer, so its encoding is cached. */
const textOf = memoize(eventsOf);
const bytesOf = memoize((chunks: ChunkBatch) => Buffer.from(eventsOf(chunks)));

const questionOf = memoize((chunks: ChunkBatch) => findLastQuestion(chunks.join("")) ?? null);

const restartText = formatSseEvent({ content: "", done: false, restart: true } satisfies StreamEvent);

const endText = (
  end:
    | {
        message_id: number;
        question?: NonNullable<ChatMessage["question"]>;
        moves?: string[];
        path?: AnswerPath;
        checks?: AnswerCheck[];
        sources?: ChatMessage["sources"];
      }
    | { error: string; code: string; retry_after?: number },
): string => formatSseEvent({ content: "", done: true, ...end } satisfies StreamEvent);
