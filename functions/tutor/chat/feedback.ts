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
    summary: "Rate a tutor answer",
    description:
      "Course staff see the number of good and bad ratings of each stored answer, without the names.",
    ...signedIn,
    params,
    body: AnswerFeedback,
    ...ok(Feedback, "The caller's rating"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => feedback.rateAnswer(deps.db, actor, params.message_id, body),
);

export const withdrawChatFeedback = endpoint(
  {
    id: "withdrawChatFeedback",
    method: "delete",
    path: "/messages/{message_id}/feedback",
    summary: "Withdraw a rating",
    ...signedIn,
    params,
    ...noContent("The caller has no rating of the answer"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => feedback.withdrawFeedback(deps.db, actor, params.message_id),
);
