import { dataOf, type Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { WholeAccountSignInOnly } from "../components/whole-account-only.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { keptCardsDeckId } from "./deck.tsx";

export function FlashcardDecksScreen() {
  const due = useQuery(
    (signal) => dataOf(apiClient.listDueFlashcards({ params: { query: { limit: 100 } }, signal })),
    [],
  );
  return (
    <>
      <ScreenHeading title={t("flashcards")} />
      <QueryBoundary of={due}>
        {(cards) => (
          <div class="notice">
            <p>{cards.length === 0 ? t("cards.none.due") : t("cards.due", { n: cards.length })}</p>
            {cards.length > 0 && (
              <a class="button primary" href={screenHref("flashcards", "review")}>
                {t("cards.review")}
              </a>
            )}
          </div>
        )}
      </QueryBoundary>
      <p>
        <a href={screenHref("flashcards", keptCardsDeckId)}>{t("cards.of.no.deck")}</a>
      </p>
      <WholeAccountSignInOnly>
        <Decks />
      </WholeAccountSignInOnly>
    </>
  );
}

function Decks() {
  const decks = usePagedQuery(
    (query, signal) => dataOf(apiClient.listFlashcardDecks({ params: { query }, signal })),
    [],
  );
  async function create(fields: FormData) {
    await dataOf(apiClient.createFlashcardDeck({ body: { title: readTextField(fields, "title") } }));
    decks.query.again();
  }
  return (
    <>
      <PagedList of={decks} empty={t("decks.empty")}>
        {(found) => (
          <ul class="cards">
            {found.map((deck) => (
              <DeckCard key={deck.id} deck={deck} />
            ))}
          </ul>
        )}
      </PagedList>
      <NewEntryCard id="new-deck" title={t("decks.new")} submit={t("decks.create")} send={create}>
        <Field name="title" label={t("title")}>
          <input maxLength={255} required />
        </Field>
      </NewEntryCard>
    </>
  );
}

function DeckCard({ deck }: { deck: Schemas["FlashcardDeck"] }) {
  return (
    <li class="card">
      <h2>
        <a href={screenHref("flashcards", deck.id)}>{deck.title}</a>
      </h2>
      {deck.description && <p class="quiet">{deck.description}</p>}
      <p class="quiet">{t("decks.count", { n: deck.card_count, due: deck.due_count })}</p>
      {deck.due_count > 0 && (
        <a class="button" href={screenHref("flashcards", deck.id, "review")}>
          {t("cards.review")}
        </a>
      )}
    </li>
  );
}
