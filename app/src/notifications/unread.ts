import { dataOf } from "learning-platform-client";
import { useEffect, useState } from "preact/hooks";
import { useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";

const listeners = new Set<() => void>();

/** Call after reading, to refresh the bell. */
export function refreshUnreadCount(): void {
  for (const listener of listeners) listener();
}

/** The unread count, refreshed when the tab becomes visible. */
export function useUnreadCount(person: number): number {
  const [round, setRound] = useState(0);
  useEffect(() => {
    const look = () => setRound((count) => count + 1);
    const comeBack = () => document.visibilityState === "visible" && look();
    listeners.add(look);
    document.addEventListener("visibilitychange", comeBack);
    return () => {
      listeners.delete(look);
      document.removeEventListener("visibilitychange", comeBack);
    };
  }, []);
  const [last, setLast] = useState(0);
  useQuery(
    async (signal) => {
      const query = { unread: "true", limit: 1 } as const;
      const { unread_count } = await dataOf(apiClient.listMyNotifications({ params: { query }, signal }));
      setLast(unread_count);
    },
    [person, round],
  );
  return last;
}
