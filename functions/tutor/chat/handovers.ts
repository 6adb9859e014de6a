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
    summary: "Hand off a conversation",
    description:
      "Starts a discussion in the offering with the listed messages and the question as its first " +
      "post. With `visible` `STAFF`, only the caller and the offering's staff can read it, find it " +
      "and are notified of it. Replies also appear in `GET /chat/sessions/{session_id}`.",
    ...signedIn,
    params: pathWideIds("session_id"),
    body: ChatHandoverCreate,
    ...created(ChatHandover, "The hand-off and its thread"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => createHandover(deps.db, actor, params.session_id, body, deps.now()),
);
