import type { TutorChatSession } from "./sessions.ts";

/** On the shared path, off it, in an aside, or trying a prompt version. */
export type PathState = "path" | "left" | "aside" | "tried";

export function pathStateOf(session: TutorChatSession | undefined): PathState {
  if (session?.tried_prompt) return "tried";
  if (session && session.aside_of !== null) return "aside";
  return session?.cache_state === "DIVERGED" && session.messages.length > 0 ? "left" : "path";
}
