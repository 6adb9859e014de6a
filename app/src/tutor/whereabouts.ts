import type { Session } from "./sessions.ts";

/** On the class's path, or having left it, or beside one. */
export type Whereabouts = "path" | "left" | "aside";

export function whereabouts(session: Session | undefined): Whereabouts {
  if (session && session.aside_of !== null) return "aside";
  return session?.cache_state === "DIVERGED" && session.messages.length > 0 ? "left" : "path";
}
