import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { PagingButtonRow } from "../components/paging-buttons.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { formatDay } from "../format.ts";
import { TextInContentLanguage } from "../markup/text-in-content-language.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { fragmentParameter, screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { type TextKey, t } from "../texts.ts";
import { keptCardsDeckId } from "./deck.tsx";

type Words = Schemas["OwnWords"];
type Kind = keyof Words;
type Found = Words[Kind]["items"][number];

const kinds: Record<Kind, { label: TextKey; ask: "NOTE" | "FLASHCARD" | "MESSAGE" }> = {
  notes: { label: "notes", ask: "NOTE" },
  flashcards: { label: "flashcards", ask: "FLASHCARD" },
  messages: { label: "conversations", ask: "MESSAGE" },
};
const order = Object.keys(kinds) as Kind[];

/** Full-text search in the user's own notes, cards and conversations. */
export function OwnContentSearchScreen() {
  const [words, setWords] = useState(() => fragmentParameter(location.hash, "q"));
  const search = (wanted: string) => {
    // Keeps the search in the history entry for the way back.
    history.replaceState(
      history.state,
      "",
      wanted ? `${screenHref("search")}?q=${encodeURIComponent(wanted)}` : screenHref("search"),
    );
    setWords(wanted);
  };
  return (
    <>
      <ScreenHeading title={t("search.own")} />
      <p class="quiet">{t("search.own.about")}</p>
      <SearchForm label={t("search.own.label")} words={words} submit={t("search")} onSearch={search} />
      {words && <Results key={words} words={words} />}
    </>
  );
}

function Results({ words }: { words: string }) {
  const found = useQuery(
    (signal) => dataOf(apiClient.searchOwnWords({ params: { query: { q: words } }, signal })),
    [words],
  );
  return (
    <QueryBoundary of={found}>
      {(lists) =>
        order.every((kind) => lists[kind].items.length === 0 && lists[kind].before === null) ? (
          <EmptyMessage>
            <p role="status">{t("search.own.none", { words })}</p>
          </EmptyMessage>
        ) : (
          <>
            <p class="unseen" role="status">
              {t("search.own.found", { n: order.reduce((sum, kind) => sum + lists[kind].items.length, 0) })}
            </p>
            {order.map((kind) => (
              <FoundList key={kind} kind={kind} words={words} first={lists[kind]} />
            ))}
          </>
        )
      }
    </QueryBoundary>
  );
}

type FoundListProps = { kind: Kind; words: string; first: Words[Kind] };

/** Results of one kind, with a button for more. */
function FoundList({ kind, words, first }: FoundListProps) {
  const [{ items, before }, setShown] = useState(first);
  const { label, ask } = kinds[kind];
  if (items.length === 0 && before === null) return null;
  const readOn = async () => {
    const query = { q: words, kind: ask, ...(before !== null && { before }) };
    const next = (await dataOf(apiClient.searchOwnWords({ params: { query } })))[kind];
    setShown({ items: [...items, ...next.items], before: next.before });
  };
  return (
    <section aria-labelledby={kind}>
      <h2 id={kind}>{t(label)}</h2>
      <ul class="stack">
        {items.map((one) => (
          <li key={one.id} class="card">
            <FoundWords kind={kind} found={one} />
          </li>
        ))}
      </ul>
      <PagingButtonRow of={items} adds>
        {before !== null && (
          <ActionButton label={`${t("search.own.more")}: ${t(label)}`} run={readOn}>
            {t("search.own.more")}
          </ActionButton>
        )}
      </PagingButtonRow>
    </section>
  );
}

function FoundWords({ kind, found }: { kind: Kind; found: Found }) {
  const address = addressOf(kind, found);
  const lang = found.language_code ?? undefined;
  const title =
    found.title === null ? (
      t("cards.of.no.deck")
    ) : (
      <TextInContentLanguage lang={lang}>{found.title}</TextInContentLanguage>
    );
  return (
    <>
      <h3>{address ? <a href={address}>{title}</a> : title}</h3>
      <p lang={lang}>{markedIn(found)}</p>
      <small>{formatDay(found.created_at)}</small>
    </>
  );
}

function markedIn({ excerpt, marks }: Found) {
  let at = 0;
  const parts = marks.flatMap(({ start, end }) => {
    const before = excerpt.slice(at, start);
    at = end;
    return [before, <mark key={start}>{excerpt.slice(start, end)}</mark>];
  });
  return [...parts, excerpt.slice(at)];
}

/** The address of a result. */
function addressOf(
  kind: Kind,
  { id, course_id, course_offering_id, content_item_id, deck_id, session_id }: Found,
) {
  if (kind === "flashcards") return screenHref("flashcards", deck_id ?? keptCardsDeckId);
  if (!course_id || !course_offering_id || !content_item_id) return undefined;
  const topic = screenHref("courses", course_id, course_offering_id, content_item_id);
  return kind === "notes" ? `${topic}?note=${id}` : `${topic}?conversation=${session_id}&message=${id}`;
}
