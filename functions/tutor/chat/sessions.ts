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
    summary: "List the caller's conversations",
    ...signedIn,
    query: ChatSessionListQuery,
    ...ok(listOf(ChatSessionSummary), "Sessions, newest first"),
  },
  ({ deps, actor, query }) => listOwnSessions(deps.db, actor, query),
);

export const createChatSession = endpoint(
  {
    id: "createChatSession",
    method: "post",
    path: "/sessions",
    summary: "Start a conversation with the tutor",
    description:
      "The topic is a content item. With `aside_of`, starts an aside: it copies that conversation's path " +
      "without an LLM call and leaves that conversation on its path. A further aside closes the former " +
      "one, which stays readable. With `prompt_version`, staff test a version of the tutor's prompt, " +
      "without shared answers.",
    ...signedIn,
    body: ChatSessionCreate,
    ...created(ChatSession, "The new session, at the root of the answer tree"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, body }) =>
    beginSession(deps.db, actor, body, {
      now: deps.now(),
      maxMaterial: deps.config.TUTOR_MATERIAL_CHARACTERS,
      tutorPrompt: deps.config.TUTOR_PROMPT_NAME,
    }),
);

export const getChatSession = endpoint(
  {
    id: "getChatSession",
    method: "get",
    path: "/sessions/{session_id}",
    summary: "Read a conversation with its messages",
    ...signedIn,
    params,
    ...ok(ChatSessionWithMessages, "The session with messages, oldest first"),
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
    summary: "Rename a conversation",
    ...signedIn,
    params,
    body: ChatSessionUpdate,
    ...ok(ChatSessionWithMessages, "The renamed session with messages"),
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
    summary: "Delete a conversation",
    ...signedIn,
    params,
    ...noContent("Deleted, with its messages and asides"),
    fails: [404],
  },
  ({ deps, actor, params }) => sessions.deleteSession(deps.db, actor, params.session_id),
);
