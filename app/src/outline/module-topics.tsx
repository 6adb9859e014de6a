import { useState } from "preact/hooks";
import styles from "../../styles/later/outline.css";
import { PadlockIcon } from "../components/icons.tsx";
import { adoptStyles } from "../later-styles.ts";
import { useContentLanguage } from "../markup/content-language.ts";
import { SentenceWithTitle } from "../markup/written.tsx";
import { t } from "../texts.ts";
import type { Module } from "./folding.ts";

adoptStyles(styles);

/** Topics listed before and after the current one. */
const around = 20;

type ModuleTopicsProps = { module: Module; current: number; linkOf: (id: number) => string };

/** A topic's module with the neighboring topics: a sidebar on wide screens, collapsed above on narrow ones. */
export function ModuleTopics({ module, current, linkOf }: ModuleTopicsProps) {
  const [isWide] = useState(() => matchMedia("(min-width: 80rem)").matches);
  const language = useContentLanguage();
  const at = module.items.findIndex(({ id }) => id === current);
  const first = Math.max(0, at - around);
  const listed = module.items.slice(first, at + around + 1);
  return (
    <nav class="module-topics" aria-label={t("topic.topics")}>
      <details open={isWide}>
        <summary>
          <SentenceWithTitle
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
