import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import * as feedback from "../../../lib/tutor/chat/feedback.ts";
import { pathWideIds } from "../../../schema/api/platform/fields.ts";
import { AnswerFeedback, Feedback } from "../../../schema/api/tutor/chat.ts";

const params = pathWideIds("message_id");

export const rateChatAnswer = endpoint(
  {
    id: "rateChatAnswer",
    method: "put",
    path: "/messages/{message_id}/feedback",
    summary: "Say whether an answer of the tutor helped",
    description:
      "The course's staff see how often each stored answer was found good or bad, and not by whom.",
    ...signedIn,
    params,
    body: AnswerFeedback,
    ...ok(Feedback, "What is thought of the answer now"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => feedback.rateAnswer(deps.db, actor, params.message_id, body),
);

export const withdrawChatFeedback = endpoint(
  {
    id: "withdrawChatFeedback",
    method: "delete",
    path: "/messages/{message_id}/feedback",
    summary: "Take back what one said of an answer",
    ...signedIn,
    params,
    ...noContent("Nothing is said of the answer any more"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => feedback.withdrawFeedback(deps.db, actor, params.message_id),
);
