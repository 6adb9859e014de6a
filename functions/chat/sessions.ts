import * as z from "zod";
import { signedIn } from "../../lib/auth/guards.ts";
import * as sessions from "../../lib/chat/sessions.ts";
import { created, endpoint, noContent, ok } from "../../lib/http/endpoint.ts";
import {
  ChatSession,
  ChatSessionCreate,
  ChatSessionSummary,
  ChatSessionWithMessages,
} from "../../schema/api/chat.ts";
import { listOf, pagination, pathWideIds } from "../../schema/api/fields.ts";

const params = pathWideIds("session_id");

export const listChatSessions = endpoint(
  {
    id: "listChatSessions",
    method: "get",
    path: "/sessions",
    summary: "List one's own conversations, newest first",
    ...signedIn,
    query: z.object(pagination),
    ...ok(listOf(ChatSessionSummary), "The caller's sessions"),
  },
  ({ deps, actor, query }) => sessions.listSessions(deps.db, actor, query),
);

export const createChatSession = endpoint(
  {
    id: "createChatSession",
    method: "post",
    path: "/sessions",
    summary: "Begin a conversation with the tutor about a content item",
    ...signedIn,
    body: ChatSessionCreate,
    ...created(ChatSession, "The new session, standing before the root of the tree"),
    fails: [403, 404],
  },
  ({ deps, actor, body }) =>
    sessions.createSession(deps.db, actor, body.content_item_id, {
      now: deps.now(),
      mostMaterial: deps.config.TUTOR_MATERIAL_CHARACTERS,
    }),
);

export const getChatSession = endpoint(
  {
    id: "getChatSession",
    method: "get",
    path: "/sessions/{session_id}",
    summary: "Read a conversation of one's own with its messages",
    ...signedIn,
    params,
    ...ok(ChatSessionWithMessages, "The session, its messages oldest first"),
    fails: [404],
  },
  ({ deps, actor, params }) =>
    sessions.getSession(deps.db, actor, params.session_id, deps.config.TUTOR_MATERIAL_CHARACTERS),
);

export const deleteChatSession = endpoint(
  {
    id: "deleteChatSession",
    method: "delete",
    path: "/sessions/{session_id}",
    summary: "Delete a conversation of one's own",
    ...signedIn,
    params,
    ...noContent("The session is gone, with its messages"),
    fails: [404],
  },
  ({ deps, actor, params }) => sessions.deleteSession(deps.db, actor, params.session_id),
);
