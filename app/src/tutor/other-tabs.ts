import { useEffect } from "preact/hooks";

/* Keeps a conversation in sync across tabs. A choice on an outdated question would leave the shared path. */

/** A channel does not receive its own messages. Undefined in browsers without BroadcastChannel. */
const tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("conversations") : undefined;

/** Notifies other tabs of a new message. */
export const notifyOtherTabsOfMessage = (session: number): void => tabs?.postMessage(session);

/** Reloads a conversation that changed in another tab. `look` is undefined while an answer streams here. */
export function useReloadOnOtherTabMessage(
  session: number | undefined,
  look: (() => Promise<void>) | undefined,
): void {
  useEffect(() => {
    const listener = ({ data }: MessageEvent) =>
      void (data === session && document.visibilityState === "visible" && look?.().catch(() => undefined));
    tabs?.addEventListener("message", listener);
    return () => tabs?.removeEventListener("message", listener);
  }, [session, look]);
}
