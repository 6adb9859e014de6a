import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import { useUnreadCount } from "./unread.ts";

/** Link to the notifications with the unread count. */
export function NotificationBell({ person, isCurrent }: { person: number; isCurrent: boolean }) {
  const count = useUnreadCount(person);
  const label = count > 0 ? t("bell.unread", { n: count }) : t("bell");
  return (
    <a
      class="bell"
      href={screenHref("notifications")}
      aria-label={label}
      title={label}
      aria-current={isCurrent ? "page" : undefined}
    >
      <svg class="icon" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
        <path
          d="M6 17V11a6 6 0 0 1 12 0v6l1.500 2h-15zm4 2a2 2 0 0 0 4 0"
          fill="none"
          stroke="currentColor"
          stroke-width="2"
          stroke-linejoin="round"
        />
      </svg>
      {count > 0 && (
        <span class="count" aria-hidden="true">
          {count > 99 ? "99+" : count}
        </span>
      )}
    </a>
  );
}
