import { useEffect } from "preact/hooks";

/*
 * A conversation that is open in several tabs of a browser goes on in all of them: a choice that is made in a tab which has an
 * earlier question before it would be words off the class's path.
 */

/** One for the tab, which hears nothing of what it says itself; none in a browser that has no such thing. */
const tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("conversations") : undefined;

/** Tells the other tabs that a conversation has gone on. */
export const tellOtherTabs = (session: number): void => tabs?.postMessage(session);

/** Reads a conversation again that has gone on in another tab; while an answer is received here, there is no `look`. */
export function useOtherTabs(session: number | undefined, look: (() => Promise<void>) | undefined): void {
  useEffect(() => {
    const listener = ({ data }: MessageEvent) =>
      void (data === session && document.visibilityState === "visible" && look?.().catch(() => undefined));
    tabs?.addEventListener("message", listener);
    return () => tabs?.removeEventListener("message", listener);
  }, [session, look]);
}
