import * as z from "zod";
import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { anyone, signedIn } from "../../../lib/identity/auth/guards.ts";
import * as sharing from "../../../lib/tutor/chat/sharing.ts";
import { pathWideIds, text } from "../../../schema/api/platform/fields.ts";
import { Share, SharedSession } from "../../../schema/api/tutor/chat.ts";

const params = pathWideIds("session_id");

export const shareChatSession = endpoint(
  {
    id: "shareChatSession",
    method: "post",
    path: "/sessions/{session_id}/share",
    summary: "Share a conversation by link",
    ...signedIn,
    params,
    ...ok(Share, "The link, which stays the same until sharing ends"),
    fails: [404],
  },
  async ({ deps, actor, params }) => {
    const share_token = await sharing.shareSession(deps.db, actor, params.session_id);
    return { share_token, share_url: `${deps.config.API_V1_PREFIX}/chat/share/${share_token}` };
  },
);

export const unshareChatSession = endpoint(
  {
    id: "unshareChatSession",
    method: "delete",
    path: "/sessions/{session_id}/share",
    summary: "Stop sharing a conversation",
    ...signedIn,
    params,
    ...noContent("The link is no longer valid"),
    fails: [404],
  },
  ({ deps, actor, params }) => sharing.unshareSession(deps.db, actor, params.session_id),
);

export const getSharedChatSession = endpoint(
  {
    id: "getSharedChatSession",
    method: "get",
    path: "/share/{share_token}",
    summary: "Read a shared conversation",
    ...anyone,
    params: z.object({ share_token: text(64) }),
    ...ok(SharedSession, "Topic and messages, without personal data"),
    fails: [404],
  },
  ({ deps, params }) => sharing.getSharedSession(deps.db, params.share_token, deps.now()),
);
