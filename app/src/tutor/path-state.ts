import type { TutorChatSession } from "./sessions.ts";

/** On the shared path, off it, in an aside, or trying a prompt version. */
export type SharedPathState = "path" | "left" | "aside" | "tried";

export function sharedPathStateOfSession(session: TutorChatSession | undefined): SharedPathState {
  if (session?.tried_prompt) return "tried";
  if (session && session.aside_of !== null) return "aside";
  return session?.cache_state === "DIVERGED" && session.messages.length > 0 ? "left" : "path";
}
