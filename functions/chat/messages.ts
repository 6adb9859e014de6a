import { signedIn } from "../../lib/auth/guards.ts";
import { startMessage } from "../../lib/chat/message-kind.ts";
import { answerSeconds } from "../../lib/chat/open-turn.ts";
import type { TurnWorld } from "../../lib/chat/turn.ts";
import { type Turn, takeTurn } from "../../lib/chat/tutor.ts";
import type { Deps } from "../../lib/deps.ts";
import { unavailable } from "../../lib/errors.ts";
import { type Call, endpoint, ok, streamed } from "../../lib/http/endpoint.ts";
import { remainingMilliseconds } from "../../lib/http/remaining-time.ts";
import { eventStream } from "../../lib/http/sse.ts";
import { ChatMessage, ChatMessageCreate } from "../../schema/api/chat.ts";
import { pathIds } from "../../schema/api/fields.ts";

const params = pathIds("session_id");

const streamExample = `data: {"content":"Welcome! ","done":false}

data: {"content":"","done":true,"message_id":17}

`;

export const send = endpoint(
  {
    method: "post",
    path: "/sessions/{session_id}/messages",
    summary: "Send a message to the tutor and stream its answer",
    description:
      "Each event is `{content, done}`; the last has `done` true and the stored answer's `message_id`, or `error` when the answer broke off. Stored answers are replayed in their original chunks.",
    ...signedIn,
    params,
    body: ChatMessageCreate,
    ...streamed("The answer as Server-Sent Events", streamExample),
    fails: [404, 409, 503],
  },
  ({ deps, actor, params, body, http }) =>
    stream(deps, http, takeTurn(worldOf(deps, http), actor, params.session_id, body.content)),
);

export const greet = endpoint(
  {
    method: "post",
    path: "/sessions/{session_id}/greeting",
    summary: "Have the tutor open the topic",
    description:
      "Sends `Start.` for the learner. Answers the tutor's message, or with `Accept: text/event-stream` the same stream as a message.",
    ...signedIn,
    params,
    ...ok(ChatMessage, "The tutor's greeting", { "text/event-stream": streamExample }),
    fails: [404, 409, 503],
  },
  ({ deps, actor, params, http }) => {
    const turn = takeTurn(worldOf(deps, http), actor, params.session_id, startMessage);
    return wantsStream(http) ? stream(deps, http, turn) : finished(turn);
  },
);

/** An answer ends in time to say so before a function's own time is up. */
const worldOf = (deps: Deps, http: Call["http"]): TurnWorld => ({
  ...deps,
  signal: AbortSignal.timeout(Math.min(answerSeconds * 1000, remainingMilliseconds(http) - 5000)),
});

const wantsStream = (http: Call["http"]): boolean =>
  http.req.header("accept")?.includes("text/event-stream") ?? false;

/**
 * The first event is waited for, so that what fails before it is still answered with a status of its own. Traces
 * are waited for when the learner has everything.
 */
async function stream({ tracer }: Deps, http: Call["http"], turn: Turn): Promise<Response> {
  const first = await turn.next();
  return eventStream(http, async (send) => {
    for (let step = first; !step.done; step = await turn.next()) send(step.value);
    await tracer.flush();
  });
}

async function finished(turn: Turn): Promise<ChatMessage> {
  let step = await turn.next();
  while (!step.done) step = await turn.next();
  if (!step.value) throw unavailable("The tutor's answer broke off");
  return step.value;
}
