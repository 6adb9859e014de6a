import { badRequest } from "../../../lib/errors.ts";
import { endpoint, type HandlerInput, ok, streamed } from "../../../lib/http/endpoint.ts";
import { signedIn, tokenCheckedByHandler } from "../../../lib/identity/auth/guards.ts";
import * as messages from "../../../lib/tutor/chat/messages.ts";
import * as tutor from "../../../lib/tutor/chat/tutor-turns.ts";
import { startMessage } from "../../../lib/tutor/dialogue/message-kind.ts";
import { pathWideIds } from "../../../schema/api/platform/fields.ts";
import {
  ChatMessage,
  ChatMessageCreate,
  ChatMessagePage,
  MessagePageQuery,
} from "../../../schema/api/tutor/chat.ts";
import {
  createTurnDeps,
  eventStreamExample,
  finalMessageOfReply,
  streamTutorReply,
} from "./answer-stream.ts";

const params = pathWideIds("session_id");

const messageExamples = {
  start: { summary: "Request a greeting", value: { content: startMessage } },
  choice: {
    summary: "Choose an option of the tutor's question, on the shared path",
    value: { content: '{"questionId":"q1","answer":"B"}', client_message_id: "b2b1c6e4" },
  },
  followup: {
    summary: "Ask a follow-up question, which leaves the shared path",
    value: { content: '{"type":"followup","text":"Why is it not A?"}' },
  },
  text: {
    summary: "Send free text, which leaves the shared path",
    value: { content: "Why does it not stop?" },
  },
};

export const listChatMessages = endpoint(
  {
    id: "listChatMessages",
    method: "get",
    path: "/sessions/{session_id}/messages",
    summary: "List messages of a conversation",
    ...signedIn,
    params,
    query: MessagePageQuery,
    ...ok(ChatMessagePage, "The newest messages, or those before `before`"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => messages.listMessages(deps.db, actor, params.session_id, query),
);

export const sendChatMessage = endpoint(
  {
    id: "sendChatMessage",
    method: "post",
    path: "/sessions/{session_id}/messages",
    summary: "Send a message to the tutor",
    description:
      "Streams the answer. Each event is `{content, done}`. The last has `done` true, the stored " +
      "answer's `message_id` and the `question` that it asks, or an `error`. After an event with " +
      "`restart` true, discard the text so far: the answer starts again. Stored answers are replayed " +
      "in their original chunks. While there is no output, a comment (`: …`) is sent every ten " +
      "seconds. A failure after the first comment has no status: the last event has `error` and " +
      "`retry_after`. A 409 states when to retry.",
    ...tokenCheckedByHandler,
    params,
    body: ChatMessageCreate,
    bodyExamples: messageExamples,
    ...streamed("The answer as Server-Sent Events", eventStreamExample),
    fails: [400, 404, 409, 429, 503],
    conflictsWith: ChatMessage,
  },
  async ({ deps, actor, params, body, http }) => {
    const { content, client_message_id: clientMessageId, answers_message_id: answersMessageId } = body;
    const saying = { content, clientMessageId, answersMessageId };
    return streamTutorReply(
      deps,
      http,
      await tutor.answerLearnerMessage(createTurnDeps(deps, http), actor, params.session_id, saying),
    );
  },
);

export const greetChatSession = endpoint(
  {
    id: "greetChatSession",
    method: "post",
    path: "/sessions/{session_id}/greeting",
    summary: "Request the tutor's greeting",
    description:
      "Sends `Start.` on behalf of the learner. Returns the tutor's message, or the same stream as for " +
      "messages with `Accept: text/event-stream`.",
    ...tokenCheckedByHandler,
    params,
    ...ok(ChatMessage, "The tutor's greeting", { "text/event-stream": eventStreamExample }),
    fails: [404, 409, 429, 503],
  },
  async ({ deps, actor, params, http }) => {
    const saying = { content: startMessage };
    const reply = await tutor.answerLearnerMessage(
      createTurnDeps(deps, http),
      actor,
      params.session_id,
      saying,
    );
    return wantsStream(http) ? streamTutorReply(deps, http, reply) : finalMessageOfReply(reply);
  },
);

export const resumeChatStream = endpoint(
  {
    id: "resumeChatStream",
    method: "get",
    path: "/sessions/{session_id}/stream",
    writes: "stream",
    summary: "Resume the answer stream",
    description:
      "Streams the pending answer from its first chunk, also on another device or after a failure of " +
      "the generating process. Returns 400 if no answer is pending: read the session instead.",
    ...signedIn,
    params,
    ...streamed("The answer as Server-Sent Events", eventStreamExample),
    fails: [400, 404, 409, 429, 503],
  },
  async ({ deps, actor, params, http }) => {
    const reply = await tutor.resumeTurn(createTurnDeps(deps, http), actor, params.session_id);
    return streamTutorReply(deps, http, reply ?? nothingInProgress());
  },
);

export const stopChatAnswer = endpoint(
  {
    id: "stopChatAnswer",
    method: "post",
    path: "/sessions/{session_id}/stop",
    summary: "Stop the pending answer",
    description:
      "Keeps the text so far. Only for answers of this conversation: an answer shared with a class is " +
      "completed. Returns 400 for a shared answer, and if no answer is pending.",
    ...signedIn,
    params,
    ...ok(ChatMessage, "The partial answer, with `meta.stop` `stopped`"),
    fails: [400, 404, 409, 429, 503],
  },
  async ({ deps, actor, params, http }) => {
    const reply = await tutor.stopTurn(createTurnDeps(deps, http), actor, params.session_id);
    if (reply === "shared") throw badRequest("answer_is_shared");
    return finalMessageOfReply(reply ?? nothingInProgress());
  },
);

const wantsStream = (http: HandlerInput["http"]): boolean =>
  http.req.header("accept")?.includes("text/event-stream") ?? false;

function nothingInProgress(): never {
  throw badRequest("no_answer_being_written");
}
