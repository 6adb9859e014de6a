import { badRequest } from "../../../lib/errors.ts";
import { type Call, endpoint, ok, streamed } from "../../../lib/http/endpoint.ts";
import { signedIn, signedInByToken } from "../../../lib/identity/auth/guards.ts";
import * as messages from "../../../lib/tutor/chat/messages.ts";
import * as tutor from "../../../lib/tutor/chat/tutor.ts";
import { startMessage } from "../../../lib/tutor/dialogue/message-kind.ts";
import { pathWideIds } from "../../../schema/api/platform/fields.ts";
import {
  ChatMessage,
  ChatMessageCreate,
  ChatMessagePage,
  MessagePageQuery,
} from "../../../schema/api/tutor/chat.ts";
import { streamExample, streamReply, turnDeps, wholeReply } from "./answer-stream.ts";

const params = pathWideIds("session_id");

const messageExamples = {
  start: { summary: "To be greeted", value: { content: startMessage } },
  choice: {
    summary: "An option of the tutor's question, on the path that a class shares",
    value: { content: '{"questionId":"q1","answer":"B"}', client_message_id: "b2b1c6e4" },
  },
  followup: {
    summary: "To ask back, which leaves the shared path",
    value: { content: '{"type":"followup","text":"Why is it not A?"}' },
  },
  text: {
    summary: "A question in one's own words, which leaves it too",
    value: { content: "Why does it not stop?" },
  },
};

export const listChatMessages = endpoint(
  {
    id: "listChatMessages",
    method: "get",
    path: "/sessions/{session_id}/messages",
    summary: "Page back through a conversation of one's own",
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
    summary: "Send a message to the tutor and stream its answer",
    description:
      "Each event is `{content, done}`; the last has `done` true, the stored answer's `message_id` and the `question` that it asks, or `error` when there is no answer. After an event with `restart` true what was told so far does not hold: clear it, the answer is told anew. Stored answers are replayed in their original chunks. While there is nothing to tell, a comment (`: …`) comes every ten seconds; what fails after one has no status any more, and is the last event, with `error` and `retry_after`. A 409 says when to try again.",
    ...signedInByToken,
    params,
    body: ChatMessageCreate,
    bodyExamples: messageExamples,
    ...streamed("The answer as Server-Sent Events", streamExample),
    fails: [400, 404, 409, 429, 503],
  },
  async ({ deps, actor, params, body, http }) => {
    const { content, client_message_id: clientMessageId } = body;
    const saying = { content, clientMessageId };
    return streamReply(
      deps,
      http,
      await tutor.takeTurn(turnDeps(deps, http), actor, params.session_id, saying),
    );
  },
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
    fails: [404, 409, 429, 503],
  },
  async ({ deps, actor, params, http }) => {
    const saying = { content: startMessage };
    const reply = await tutor.takeTurn(turnDeps(deps, http), actor, params.session_id, saying);
    return wantsStream(http) ? streamReply(deps, http, reply) : wholeReply(reply);
  },
);

export const resumeChatStream = endpoint(
  {
    id: "resumeChatStream",
    method: "get",
    path: "/sessions/{session_id}/stream",
    writes: "stream",
    summary: "Listen again to the answer in progress",
    description:
      "From its first chunk, also on another device, and also when the process that wrote it is gone. 400 when no answer is being written: then the session has it.",
    ...signedIn,
    params,
    ...streamed("The answer as Server-Sent Events", streamExample),
    fails: [400, 404, 409, 429, 503],
  },
  async ({ deps, actor, params, http }) => {
    const reply = await tutor.resumeTurn(turnDeps(deps, http), actor, params.session_id);
    return streamReply(deps, http, reply ?? nothingInProgress());
  },
);

export const stopChatAnswer = endpoint(
  {
    id: "stopChatAnswer",
    method: "post",
    path: "/sessions/{session_id}/stop",
    summary: "Stop the answer in progress, and keep what was said",
    description:
      "For an answer of this conversation alone: one that a class is waiting for is written to its end. 400 for that, and when no answer is being written.",
    ...signedIn,
    params,
    ...ok(ChatMessage, "The answer as far as it came, with `meta.stop` `stopped`"),
    fails: [400, 404, 409, 429, 503],
  },
  async ({ deps, actor, params, http }) => {
    const reply = await tutor.stopTurn(turnDeps(deps, http), actor, params.session_id);
    if (reply === "shared") throw badRequest("answer_is_shared");
    return wholeReply(reply ?? nothingInProgress());
  },
);

const wantsStream = (http: Call["http"]): boolean =>
  http.req.header("accept")?.includes("text/event-stream") ?? false;

function nothingInProgress(): never {
  throw badRequest("no_answer_being_written");
}
