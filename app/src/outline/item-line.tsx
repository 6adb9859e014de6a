import type { ComponentChildren } from "preact";
import { contentTypeLabel } from "../components/content-type-label.ts";
import { PadlockIcon } from "../components/icons.tsx";
import { ProgressBar } from "../components/progress.tsx";
import { formatDay, formatNumber, formatSecondsAsMinutes } from "../format.ts";
import { useContentLanguage } from "../markup/content-language.ts";
import { t } from "../texts.ts";
import type { OutlineItem } from "./collapse-and-search.ts";

const symbols: Record<string, string> = {
  text: "¶",
  video: "▶",
  quiz: "?",
  engineering_lab: "⚗",
  assignment: "✎",
  resource: "↗",
  scorm: "⧉",
  external_tool: "⧉",
};

type ItemProps = {
  item: OutlineItem;
  titles: Map<number, string>;
  href: string | undefined;
  state?: ComponentChildren;
};

export function ItemLine({ item, titles, href, state }: ItemProps) {
  const language = useContentLanguage();
  const isDone = item.completed_at !== null;
  return (
    <li class={isDone ? "item done" : "item"} data-item={item.id}>
      <span class="symbol" aria-hidden="true">
        {isDone ? "✓" : (symbols[item.content_type] ?? "•")}
      </span>
      <span class="what">
        {href && !item.lock ? (
          <a href={href} lang={language}>
            {item.title}
          </a>
        ) : (
          <span lang={language}>{item.title}</span>
        )}
        <small>
          {contentTypeLabel(item.content_type)}
          {item.estimated_duration_seconds !== null &&
            ` · ${formatSecondsAsMinutes(item.estimated_duration_seconds)}`}
          {item.due_at && ` · ${t("due.on", { day: formatDay(item.due_at) })}`}
          {isDone && <span class="unseen"> · {t("done")}</span>}
        </small>
        {item.attempt && <small>{attemptLine(item.attempt)}</small>}
        {item.lock && (
          <small class="lock">
            <PadlockIcon /> {itemLockExplanation(item.lock, titles)}
          </small>
        )}
      </span>
      {state}
      {!isDone && item.progress_percent > 0 && (
        <ProgressBar percent={item.progress_percent} title={item.title} />
      )}
    </li>
  );
}

/** The attempt and its outcome, as far as it is released: `Attempt 1 of 2 · not passed · 3 points`. */
function attemptLine({ number: nth, of, score, passed, state }: NonNullable<OutlineItem["attempt"]>): string {
  const outcome = passed === null ? t(`attempt.${state}`) : t(passed ? "attempt.passed" : "attempt.failed");
  return [
    of === null ? t("attempt.nth", { number: nth }) : t("attempt.of", { number: nth, of }),
    outcome,
    score !== null && t("attempt.score", { score: formatNumber(score), n: score }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Why the item is locked, and until when. */
export function itemLockExplanation(
  lock: NonNullable<OutlineItem["lock"]>,
  titles: Map<number, string>,
): string {
  if (lock.reason === "ENROLLMENT_REQUIRED") return t("lock.enrollment");
  if (lock.reason === "MODULES_INCOMPLETE") {
    const names = lock.module_ids.map((id) => titles.get(id)).filter(Boolean);
    return t("lock.modules", { names: names.join(", ") });
  }
  return lock.available_from ? t("lock.until", { day: formatDay(lock.available_from) }) : t("lock.not.yet");
}
