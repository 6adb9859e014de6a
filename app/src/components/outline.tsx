import type { Schemas } from "learning-platform-client";
import { day, minutes, number } from "../format.ts";
import { type Text, t } from "../texts.ts";
import { Empty } from "./empty.tsx";
import { Padlock } from "./icons.tsx";
import { Progress } from "./progress.tsx";

type Module = Schemas["OutlineModule"];
type Item = Schemas["OutlineItem"];

type OutlineProps = {
  outline: Schemas["Outline"];
  /** Where an item leads; undefined: nowhere. Locked items lead nowhere. */
  linkOf?: (item: Item) => string | undefined;
};

const symbols: Record<string, string> = {
  text: "¶",
  video: "▶",
  quiz: "?",
  engineering_lab: "⚗",
  assignment: "✎",
  resource: "↗",
};

const kinds: Record<string, Text> = {
  text: "kind.text",
  video: "kind.video",
  quiz: "kind.quiz",
  engineering_lab: "kind.lab",
  assignment: "kind.assignment",
  resource: "kind.resource",
};

/** What kind of content that is, in the reader's language; a kind that administrators added has its own name. */
export const kindOf = (contentType: string): string => {
  const text = kinds[contentType];
  return text ? t(text) : contentType;
};

/** A course's tree: modules with their items, how far each has come, and what is locked and why. */
export function Outline({ outline, linkOf = () => undefined }: OutlineProps) {
  const titles = new Map(outline.modules.map(({ id, title }) => [id, title]));
  if (outline.modules.length === 0) return <Empty>{t("outline.empty")}</Empty>;
  return (
    <ol class="outline">
      {outline.modules
        .filter(({ parent_module_id }) => parent_module_id === null)
        .map((module) => (
          <Branch key={module.id} module={module} all={outline.modules} titles={titles} linkOf={linkOf} />
        ))}
    </ol>
  );
}

type BranchProps = {
  module: Module;
  all: Module[];
  titles: Map<number, string>;
  linkOf: (item: Item) => string | undefined;
};

function Branch({ module, all, titles, linkOf }: BranchProps) {
  const children = all.filter(({ parent_module_id }) => parent_module_id === module.id);
  const lock = module.lock && reasonOf(module.lock, titles);
  return (
    <li class={module.depth === 0 ? "card module" : "module"}>
      <div class="module-head">
        <h2 class={`depth-${Math.min(module.depth, 3)}`}>{module.title}</h2>
        {module.computed_percent !== null && (
          <Progress percent={module.computed_percent} label={t("progress.of", { title: module.title })} />
        )}
      </div>
      {lock && (
        <p class="lock">
          <Padlock /> {lock}
        </p>
      )}
      {module.items.length > 0 && (
        <ul class="items">
          {module.items.map((item) => (
            <ItemLine key={item.id} item={item} titles={titles} href={linkOf(item)} />
          ))}
        </ul>
      )}
      {children.length > 0 && (
        <ol>
          {children.map((child) => (
            <Branch key={child.id} module={child} all={all} titles={titles} linkOf={linkOf} />
          ))}
        </ol>
      )}
    </li>
  );
}

type ItemProps = { item: Item; titles: Map<number, string>; href: string | undefined };

function ItemLine({ item, titles, href }: ItemProps) {
  const isDone = item.completed_at !== null;
  return (
    <li class={isDone ? "item done" : "item"}>
      <span class="symbol" aria-hidden="true">
        {isDone ? "✓" : (symbols[item.content_type] ?? "•")}
      </span>
      <span class="what">
        {href && !item.lock ? <a href={href}>{item.title}</a> : <span>{item.title}</span>}
        <small>
          {kindOf(item.content_type)}
          {item.estimated_duration_seconds !== null && ` · ${minutes(item.estimated_duration_seconds)}`}
          {item.due_at && ` · ${t("due.on", { day: day(item.due_at) })}`}
          {isDone && <span class="unseen"> · {t("done")}</span>}
        </small>
        {item.attempt && <small>{attemptLine(item.attempt)}</small>}
        {item.lock && (
          <small class="lock">
            <Padlock /> {reasonOf(item.lock, titles)}
          </small>
        )}
      </span>
      {!isDone && item.progress_percent > 0 && (
        <Progress percent={item.progress_percent} label={t("progress.of", { title: item.title })} />
      )}
    </li>
  );
}

/** Which attempt it was and what came of it, as far as the reader may know: `Attempt 1 of 2 · not passed · 3 points`. */
function attemptLine({ number: nth, of, score, passed, state }: NonNullable<Item["attempt"]>): string {
  const outcome = passed === null ? t(`attempt.${state}`) : t(passed ? "attempt.passed" : "attempt.failed");
  return [
    of === null ? t("attempt.nth", { number: nth }) : t("attempt.of", { number: nth, of }),
    outcome,
    score !== null && t("attempt.score", { score: number(score), n: score }),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Why something is locked, and until when. */
function reasonOf(lock: NonNullable<Item["lock"]>, titles: Map<number, string>): string {
  if (lock.reason === "ENROLLMENT_REQUIRED") return t("lock.enrollment");
  if (lock.reason === "MODULES_INCOMPLETE") {
    const names = lock.module_ids.map((id) => titles.get(id)).filter(Boolean);
    return t("lock.modules", { names: names.join(", ") });
  }
  return lock.available_from ? t("lock.until", { day: day(lock.available_from) }) : t("lock.not.yet");
}
