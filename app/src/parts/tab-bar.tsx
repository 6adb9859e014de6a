import { useEffect, useRef } from "preact/hooks";
import { t } from "../texts.ts";

/** So much of the tab before the one that is shown stays in sight, in pixels. */
const before = 64;

type Tab = { part: string; href: string; label: string };

/** The parts of something, the one that is shown in sight: on a phone they do not all fit. */
export function TabBar({ tabs, current }: { tabs: Tab[]; current: string }) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const shown = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (bar.current && shown) bar.current.scrollLeft = shown.offsetLeft - bar.current.offsetLeft - before;
  }, []);
  return (
    <nav class="tabs" ref={bar} aria-label={t("tabs")}>
      {tabs.map(({ part, href, label }) => (
        <a key={part} href={href} aria-current={part === current ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
