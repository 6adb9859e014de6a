import { t } from "../texts.ts";
import { useScrollToCurrentEntry } from "./scroll-to-current-entry.ts";

type Tab = { part: string; href: string; label: string };

/** Tabs. Scrolls to the current one on narrow screens. */
export function TabBar({ tabs, current, label }: { tabs: Tab[]; current: string; label?: string }) {
  const bar = useScrollToCurrentEntry<HTMLElement>(current);
  return (
    <nav class="tabs" ref={bar} aria-label={label ?? t("tabs")}>
      {tabs.map(({ part, href, label }) => (
        <a key={part} href={href} aria-current={part === current ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
