import { useState } from "preact/hooks";
import styles from "../../styles/later/outline.css";
import { adoptStyles } from "../adopt-styles.ts";
import { PadlockIcon } from "../components/icons.tsx";
import { useContentLanguage } from "../markup/content-language.ts";
import { TranslatedSentenceWithTitle } from "../markup/text-in-content-language.tsx";
import { t } from "../texts.ts";
import type { OutlineModule } from "./collapse-and-search.ts";

adoptStyles(styles);

/** Topics listed before and after the current one. */
const around = 20;

type ModuleTopicsProps = { module: OutlineModule; current: number; linkOf: (id: number) => string };

/** As in styles/later/outline.css: there is room for a column of topics. */
const wide = "(width >= 80rem)";
const key = "list of topics";

/** Whether the list was closed on this device. False if storage is unavailable. */
function wasClosed(): boolean {
  try {
    return localStorage.getItem(key) === "closed";
  } catch {
    return false;
  }
}

function keepState(isOpen: boolean): void {
  try {
    localStorage.setItem(key, isOpen ? "open" : "closed");
  } catch {
    // The choice is not remembered.
  }
}

/** A topic's module with the neighboring topics: a list that closes, in a column on wide screens. */
export function ModuleTopicsNavigation({ module, current, linkOf }: ModuleTopicsProps) {
  const [isOpen] = useState(() => matchMedia(wide).matches && !wasClosed());
  const language = useContentLanguage();
  const at = module.items.findIndex(({ id }) => id === current);
  const first = Math.max(0, at - around);
  const listed = module.items.slice(first, at + around + 1);
  return (
    <nav class="module-topics" aria-label={t("topic.topics")}>
      <details
        open={isOpen}
        onToggle={({ currentTarget }) => matchMedia(wide).matches && keepState(currentTarget.open)}
      >
        <summary>
          <TranslatedSentenceWithTitle
            text="topic.module"
            title={module.title}
            values={{ at: at + 1, n: module.items.length }}
          />
        </summary>
        <ol start={first + 1}>
          {listed.map(({ id, title, lock, completed_at }) => (
            <li key={id}>
              {lock ? (
                <span>
                  <PadlockIcon /> <span lang={language}>{title}</span>{" "}
                  <span class="unseen">({t("topic.locked")})</span>
                </span>
              ) : (
                <a href={linkOf(id)} aria-current={id === current ? "page" : undefined} lang={language}>
                  {title}
                </a>
              )}
              {completed_at !== null && (
                <span>
                  <span aria-hidden="true">✓</span>
                  <span class="unseen">{t("done")}</span>
                </span>
              )}
            </li>
          ))}
        </ol>
      </details>
    </nav>
  );
}
