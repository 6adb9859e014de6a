import { createHandover } from "../../../lib/community/handovers.ts";
import { created, endpoint } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { ChatHandover, ChatHandoverCreate } from "../../../schema/api/community/discussions.ts";
import { pathWideIds } from "../../../schema/api/platform/fields.ts";

export const handOverChatSession = endpoint(
  {
    id: "handOverChatSession",
    method: "post",
    path: "/sessions/{session_id}/handover",
    summary: "Ask a person about a conversation of one's own",
    description:
      "Begins a discussion of the offering with the messages that are named, as they were told, and the question as its first post. With `visible` `STAFF` it is read, found, counted and notified for oneself and the offering's staff alone. What is replied stands in `GET /chat/sessions/{session_id}` too.",
    ...signedIn,
    params: pathWideIds("session_id"),
    body: ChatHandoverCreate,
    ...created(ChatHandover, "What was handed over, with the thread that it is in"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => createHandover(deps.db, actor, params.session_id, body, deps.now()),
);
