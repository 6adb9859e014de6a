import { signedInByToken } from "../../lib/auth/guards.ts";
import { startMessage } from "../../lib/chat/message-kind.ts";
import { answerSeconds, type StoredAnswer } from "../../lib/chat/open-turn.ts";
import type { Piece, TurnWorld } from "../../lib/chat/turn.ts";
import type { Taken } from "../../lib/chat/tutor.ts";
import * as tutor from "../../lib/chat/tutor.ts";
import type { Deps } from "../../lib/deps.ts";
import { unavailable } from "../../lib/errors.ts";
import { type Call, endpoint, ok, streamed } from "../../lib/http/endpoint.ts";
import { remainingMilliseconds } from "../../lib/http/remaining-time.ts";
import { eventStream, eventText, wholeEventStream } from "../../lib/http/sse.ts";
import { ChatMessage, ChatMessageCreate, type StreamEvent } from "../../schema/api/chat.ts";
import { pathIds } from "../../schema/api/fields.ts";

const params = pathIds("session_id");

const streamExample = `data: {"content":"Welcome! ","done":false}

data: {"content":"","done":true,"message_id":17}

`;

export const sendChatMessage = endpoint(
  {
    id: "sendChatMessage",
    method: "post",
    path: "/sessions/{session_id}/messages",
    summary: "Send a message to the tutor and stream its answer",
    description:
      "Each event is `{content, done}`; the last has `done` true and the stored answer's `message_id`, or `error` when the answer broke off. Stored answers are replayed in their original chunks.",
    ...signedInByToken,
    params,
    body: ChatMessageCreate,
    ...streamed("The answer as Server-Sent Events", streamExample),
    fails: [404, 409, 503],
  },
  ({ deps, actor, params, body, http }) =>
    stream(deps, http, tutor.takeTurn(worldOf(deps, http), actor, params.session_id, body.content)),
);

export const greetChatSession = endpoint(
  {
    id: "greetChatSession",
    method: "post",
    path: "/sessions/{session_id}/greeting",
    summary: "Have the tutor open the topic",
    description:
      "Sends `Start.` for the learner. Answers the tutor's message, or with `Accept: text/event-stream` the same stream as a message.",
    ...signedInByToken,
    params,
    ...ok(ChatMessage, "The tutor's greeting", { "text/event-stream": streamExample }),
    fails: [404, 409, 503],
  },
  ({ deps, actor, params, http }) => {
    const turn = tutor.takeTurn(worldOf(deps, http), actor, params.session_id, startMessage);
    return wantsStream(http) ? stream(deps, http, turn) : finished(turn);
  },
);

/** An answer ends in time to say so before a function's own time is up. */
const worldOf = (deps: Deps, http: Call["http"]): TurnWorld => ({
  ...deps,
  signal: AbortSignal.timeout(Math.min(answerSeconds * 1000, remainingMilliseconds(http) - 5000)),
});

const wantsStream = (http: Call["http"]): boolean =>
  http.req.header("accept")?.includes("text/event-stream") ?? false;

/**
 * A stored answer leaves whole. Of any other the first piece is waited for, so that what fails before it is still
 * answered with a status of its own. Traces are waited for when the learner has everything.
 */
async function stream({ tracer }: Deps, http: Call["http"], taken: Promise<Taken>): Promise<Response> {
  const answer = await taken;
  if ("stored" in answer) {
    const { chunks, id } = answer.stored;
    return wholeEventStream(http, textOf(chunks) + endText({ message_id: id }));
  }
  const first = await answer.next();
  return eventStream(http, async (send) => {
    let step = first;
    for (; !step.done; step = await answer.next()) send(sharedTextOf(step.value));
    send(endText("error" in step.value ? step.value : { message_id: step.value.message.id }));
    await tracer.flush();
  });
}

/** A whole class may hear the same piece as it is made: it is put into events once. */
const texts = new WeakMap<Piece, string>();

function sharedTextOf(piece: Piece): string {
  const text = texts.get(piece) ?? textOf(piece);
  texts.set(piece, text);
  return text;
}

const textOf = (piece: Piece): string =>
  piece.map((content) => eventText({ content, done: false } satisfies StreamEvent)).join("");

const endText = (end: { message_id: number } | { error: string }): string =>
  eventText({ content: "", done: true, ...end } satisfies StreamEvent);

async function finished(taken: Promise<Taken>): Promise<ChatMessage> {
  const answer = await taken;
  if ("stored" in answer) return messageOf(answer.stored);
  let step = await answer.next();
  while (!step.done) step = await answer.next();
  if ("error" in step.value) throw unavailable("The tutor's answer broke off");
  return step.value.message;
}

const messageOf = ({ id, chunks, meta, created_at }: StoredAnswer): ChatMessage => ({
  id,
  role: "assistant",
  content: chunks.join(""),
  meta,
  created_at,
});
