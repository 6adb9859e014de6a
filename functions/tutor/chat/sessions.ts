import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { beginSession } from "../../../lib/tutor/chat/begin-session.ts";
import { listSessions as listOwnSessions } from "../../../lib/tutor/chat/list-sessions.ts";
import * as sessions from "../../../lib/tutor/chat/sessions.ts";
import { listOf, pathWideIds } from "../../../schema/api/platform/fields.ts";
import {
  ChatSession,
  ChatSessionCreate,
  ChatSessionListQuery,
  ChatSessionSummary,
  ChatSessionUpdate,
  ChatSessionWithMessages,
} from "../../../schema/api/tutor/chat.ts";

const params = pathWideIds("session_id");

export const listChatSessions = endpoint(
  {
    id: "listChatSessions",
    method: "get",
    path: "/sessions",
    summary: "List one's own conversations, newest first",
    ...signedIn,
    query: ChatSessionListQuery,
    ...ok(listOf(ChatSessionSummary), "The caller's sessions"),
  },
  ({ deps, actor, query }) => listOwnSessions(deps.db, actor, query),
);

export const createChatSession = endpoint(
  {
    id: "createChatSession",
    method: "post",
    path: "/sessions",
    summary: "Begin a conversation with the tutor about a content item",
    description:
      "With `aside_of` an aside: it begins with the path so far of that conversation, which no call of the LLM is made for, and leaves that one on its path whatever is said. Another aside closes the one before, which stays readable. With `prompt_version` staff try a version of the tutor's prompt before any label moves: outside the answers that the class shares.",
    ...signedIn,
    body: ChatSessionCreate,
    ...created(ChatSession, "The new session, standing before the root of the tree"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, body }) =>
    beginSession(deps.db, actor, body, {
      now: deps.now(),
      mostMaterial: deps.config.TUTOR_MATERIAL_CHARACTERS,
      tutorPrompt: deps.config.TUTOR_PROMPT_NAME,
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

export const updateChatSession = endpoint(
  {
    id: "updateChatSession",
    method: "patch",
    path: "/sessions/{session_id}",
    summary: "Name a conversation of one's own",
    ...signedIn,
    params,
    body: ChatSessionUpdate,
    ...ok(ChatSessionWithMessages, "The session with its name, and its messages as a read of it has them"),
    fails: [404],
  },
  ({ deps, actor, params, body }) =>
    sessions.updateSession(deps.db, actor, params.session_id, body, deps.config.TUTOR_MATERIAL_CHARACTERS),
);

export const deleteChatSession = endpoint(
  {
    id: "deleteChatSession",
    method: "delete",
    path: "/sessions/{session_id}",
    summary: "Delete a conversation of one's own",
    ...signedIn,
    params,
    ...noContent("The session is gone, with its messages and its asides"),
    fails: [404],
  },
  ({ deps, actor, params }) => sessions.deleteSession(deps.db, actor, params.session_id),
);
