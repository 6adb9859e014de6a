import type { Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import styles from "../../styles/later/outline.css";
import { adoptStyles } from "../adopt-styles.ts";
import { ContentLanguageContext, useContentLanguage } from "../markup/content-language.ts";
import { TranslatedSentenceWithTitle } from "../markup/text-in-content-language.tsx";
import {
  countCompletedAndTotalTopics,
  isLongOutline,
  maxSearchResults,
  type OutlineItem,
  type OutlineModule,
  searchOutline,
  topicsShownPerStep,
} from "../outline/collapse-and-search.ts";
import { ItemLine, itemLockExplanation } from "../outline/item-line.tsx";
import { useOpenModules } from "../outline/open-modules.ts";
import { previousTopicId, useRestoredScroll } from "../outline/restored-scroll.ts";
import { t } from "../texts.ts";
import { ButtonWithFocusFallback } from "./button.tsx";
import { EmptyMessage } from "./empty.tsx";
import { PadlockIcon } from "./icons.tsx";
import { PagingButtonRow } from "./paging-buttons.tsx";
import { ProgressBar } from "./progress.tsx";

adoptStyles(styles);

type OutlineProps = {
  outline: Pick<Schemas["Outline"], "modules"> & {
    course: Pick<Schemas["Outline"]["course"], "id" | "language_code">;
  };
  /** The link of an item, if it has one. Locked items have no link. */
  linkOf?: (item: OutlineItem) => string | undefined;
  /** Content next to the title of a module or item, depending on its visibility to learners. */
  stateOf?: StateOf;
};

type StateOf = (isOpen: boolean) => ComponentChildren;

/**
 * The course tree with progress and locks. Long outlines are collapsed except around the current topic, and
 * searchable.
 */
export function CourseOutlineTree({ outline, linkOf = () => undefined, stateOf = () => null }: OutlineProps) {
  const { modules, course } = outline;
  const list = useRef<HTMLDivElement>(null);
  const [from] = useState(previousTopicId);
  const [words, setWords] = useState("");
  const open = useOpenModules(course.id, modules, from);
  useRestoredScroll(list, open.keepAll);
  if (modules.length === 0) return <EmptyMessage>{t("outline.empty")}</EmptyMessage>;
  const found = words.trim() === "" ? undefined : searchOutline(modules, words);
  const shown = found?.modules ?? modules;
  const titles = new Map(modules.map(({ id, title }) => [id, title]));
  const childrenOf = (id: number | null) => shown.filter(({ parent_module_id }) => parent_module_id === id);
  return (
    <ContentLanguageContext.Provider value={course.language_code}>
      <div class="outline-area" ref={list}>
        {isLongOutline(modules) && <Search onInput={setWords} count={found?.count} />}
        <ol class="outline">
          {childrenOf(null).map((module) => (
            <Branch
              key={`${module.id} ${found !== undefined}`}
              {...{ module, childrenOf, titles, linkOf, stateOf, from, isFound: found !== undefined }}
              isOpen={(id) => found !== undefined || open.isOpen(id)}
              onToggle={open.toggle}
            />
          ))}
        </ol>
      </div>
    </ContentLanguageContext.Provider>
  );
}

/** Filters the outline while typing, and announces the number of matches. */
function Search({ onInput, count }: { onInput: (words: string) => void; count: number | undefined }) {
  return (
    <div class="filters">
      <input
        type="search"
        class="narrow"
        aria-label={t("outline.search")}
        placeholder={t("outline.search")}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <span role="status" class="quiet">
        {count === undefined
          ? ""
          : count > maxSearchResults
            ? t("outline.found.first", { n: count, most: maxSearchResults })
            : t("outline.found", { n: count })}
      </span>
    </div>
  );
}

type BranchProps = {
  module: OutlineModule;
  childrenOf: (id: number) => OutlineModule[];
  titles: Map<number, string>;
  linkOf: (item: OutlineItem) => string | undefined;
  stateOf: StateOf;
  /** The topic that the user came from. It is always rendered. */
  from: number | undefined;
  /** Whether these are search results, which are all expanded. */
  isFound: boolean;
  isOpen: (id: number) => boolean;
  onToggle: (id: number) => void;
};

function Branch(props: BranchProps) {
  const { module, childrenOf, titles, stateOf, isFound, isOpen, onToggle } = props;
  const lock = module.lock && itemLockExplanation(module.lock, titles);
  const opened = isOpen(module.id);
  return (
    <li class={module.depth === 0 ? "card module" : "module"}>
      <div class="module-head">
        <h2 class={`depth-${Math.min(module.depth, 3)}`} lang={useContentLanguage()}>
          {isFound ? (
            module.title
          ) : (
            <ButtonWithFocusFallback class="fold" aria-expanded={opened} onClick={() => onToggle(module.id)}>
              {module.title}
            </ButtonWithFocusFallback>
          )}
        </h2>
        {stateOf(module.is_published)}
        {!opened && <Count module={module} childrenOf={childrenOf} />}
        {module.computed_percent !== null && (
          <ProgressBar percent={module.computed_percent} title={module.title} />
        )}
      </div>
      {lock && (
        <p class="lock">
          <PadlockIcon /> {lock}
        </p>
      )}
      {opened && module.items.length > 0 && <Items {...props} />}
      {opened && childrenOf(module.id).length > 0 && (
        <ol>
          {childrenOf(module.id).map((child) => (
            <Branch key={child.id} {...props} module={child} />
          ))}
        </ol>
      )}
    </li>
  );
}

/** Summary of a collapsed module. */
function Count({ module, childrenOf }: Pick<BranchProps, "module" | "childrenOf">) {
  const [done, n] = countCompletedAndTotalTopics(module, childrenOf);
  return (
    <small class="quiet">
      {module.computed_percent === null ? t("outline.topics", { n }) : t("outline.done.of", { done, n })}
    </small>
  );
}

/** The topics of a module, with a button for more. */
function Items({ module, titles, linkOf, stateOf, from }: BranchProps) {
  const { items } = module;
  const [drawn, setDrawn] = useState(() => {
    const at = items.findIndex(({ id }) => id === from);
    return topicsShownPerStep * Math.max(1, Math.ceil((at + 1) / topicsShownPerStep));
  });
  const further = Math.min(items.length - drawn, topicsShownPerStep);
  return (
    <>
      <ul class="items">
        {items.slice(0, drawn).map((item) => (
          <ItemLine
            key={item.id}
            item={item}
            titles={titles}
            href={linkOf(item)}
            state={stateOf(item.is_active)}
          />
        ))}
      </ul>
      <PagingButtonRow of={drawn} adds>
        {further > 0 && (
          <ButtonWithFocusFallback class="quiet" onClick={() => setDrawn(drawn + topicsShownPerStep)}>
            <TranslatedSentenceWithTitle
              text="outline.further"
              title={module.title}
              values={{ n: further }}
            />
          </ButtonWithFocusFallback>
        )}
      </PagingButtonRow>
    </>
  );
}
