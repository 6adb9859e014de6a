import {
  type PlatformClient,
  PlatformError,
  readTutorEvents,
  type TutorEvent,
} from "learning-platform-client";
import { StreamError } from "../error-classes.ts";

/** Yields the answer so far after each event. Throws if the last event is an error. */
export async function* accumulateAnswerText(events: AsyncIterable<TutorEvent>): AsyncGenerator<string> {
  let received = "";
  for await (const event of events) {
    if (!event.done) {
      received = "restart" in event ? "" : received + event.content;
      yield received;
    } else if ("error" in event) throw new StreamError(event);
  }
}

/** The rest of a streamed answer. Empty if it completed in between. */
export async function* resumeAnswerStream(
  client: PlatformClient,
  sessionId: number,
  signal: AbortSignal,
): AsyncGenerator<TutorEvent> {
  const request = { params: { path: { session_id: sessionId } }, parseAs: "stream" } as const;
  const { data, error, response } = await client.resumeChatStream({ ...request, signal });
  // The answer is complete and part of the session.
  if (response.status === 400) return;
  if (!data) throw new PlatformError(response, error);
  yield* readTutorEvents(data);
}
