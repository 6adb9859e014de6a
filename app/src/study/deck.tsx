import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { PagedList, type PagedQuery, usePagedQuery } from "../components/paged.tsx";
import { formatDay } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { navigateAwayFromDeleted } from "../router.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { type FlashcardDecksQuery, MoveFlashcardForm, useFlashcardDecks } from "./move-card.tsx";

export const FlashcardDeckScreen = ({ deck }: { deck: string }) =>
  deck === keptCardsDeckId ? <KeptCards /> : <OneDeck deck={deck} />;

/** The address of the cards that were kept from topics and have no deck. */
export const keptCardsDeckId = "kept";

function KeptCards() {
  const cards = usePagedQuery(
    (part, signal) =>
      dataOf(apiClient.listFlashcards({ params: { query: { ...part, without_deck: true } }, signal })),
    [],
  );
  return (
    <>
      <BackLink route={["flashcards"]}>{t("flashcards")}</BackLink>
      <ScreenHeading title={t("cards.of.no.deck")} />
      <Cards cards={cards} empty={t("cards.none.kept")} again={cards.query.again} />
    </>
  );
}

function OneDeck({ deck: id }: { deck: string }) {
  const deck_id = Number(id);
  const deck = useQuery(
    (signal) => dataOf(apiClient.getFlashcardDeck({ params: { path: { deck_id } }, signal })),
    [id],
  );
  const cards = usePagedQuery(
    (part, signal) => dataOf(apiClient.listFlashcards({ params: { query: { ...part, deck_id } }, signal })),
    [id],
  );
  const again = () => {
    deck.again();
    cards.query.again();
  };
  async function add(fields: FormData) {
    await dataOf(apiClient.createFlashcard({ body: { ...sidesOf(fields), deck_id } }));
    again();
  }
  const remove = async () => {
    if (!confirm(t("decks.delete.sure"))) return;
    await dataOf(apiClient.deleteFlashcardDeck({ params: { path: { deck_id } } }));
    navigateAwayFromDeleted("flashcards");
  };
  return (
    <>
      <BackLink route={["flashcards"]}>{t("flashcards")}</BackLink>
      <QueryBoundary of={deck}>
        {(found) => (
          <ScreenHeading title={found.title}>
            <span class="row">
              {found.due_count > 0 && (
                <a class="button primary" href={screenHref("flashcards", found.id, "review")}>
                  {t("cards.review")}
                </a>
              )}
              <ActionButton class="quiet" run={remove}>
                {t("decks.delete")}
              </ActionButton>
            </span>
          </ScreenHeading>
        )}
      </QueryBoundary>
      <Cards cards={cards} empty={t("cards.empty")} again={again} />
      <NewEntryCard id="new-card" title={t("cards.new")} submit={t("cards.add")} send={add}>
        <Sides />
      </NewEntryCard>
    </>
  );
}

type CardsProps = { cards: PagedQuery<Schemas["Flashcard"]>; empty: string; again: () => void };

function Cards({ cards, empty, again }: CardsProps) {
  const decks = useFlashcardDecks();
  return (
    <PagedList of={cards} empty={empty}>
      {(found) => (
        <ul class="stack">
          {found.map((card) => (
            <li key={`${card.id} ${card.updated_at}`} class="card">
              <CardView card={card} decks={decks} onChange={again} />
            </li>
          ))}
        </ul>
      )}
    </PagedList>
  );
}

const sidesOf = (fields: FormData) => ({
  front: readTextField(fields, "front"),
  back: readTextField(fields, "back"),
});

function Sides({ card }: { card?: Schemas["Flashcard"] }) {
  return (
    <>
      <Field name="front" label={t("cards.front")}>
        <textarea rows={2} maxLength={4000} defaultValue={card?.front} required />
      </Field>
      <Field name="back" label={t("cards.back")}>
        <textarea rows={2} maxLength={4000} defaultValue={card?.back} required />
      </Field>
    </>
  );
}

/** Cards kept from a topic have its course's language. For others it is unknown. */
export const cardLanguage = (card: Schemas["Flashcard"]): string => card.language_code ?? "";

type CardViewProps = { card: Schemas["Flashcard"]; decks: FlashcardDecksQuery; onChange: () => void };

function CardView({ card, decks, onChange }: CardViewProps) {
  const params = { path: { flashcard_id: card.id } };
  const save = async (fields: FormData) => {
    await dataOf(apiClient.updateFlashcard({ params, body: sidesOf(fields) }));
    onChange();
  };
  const remove = async () => {
    if (!confirm(t("cards.delete.sure"))) return;
    await dataOf(apiClient.deleteFlashcard({ params }));
    onChange();
  };
  return (
    <>
      <MarkdownWithFormulas source={card.front} lang={cardLanguage(card)} inLines />
      <small>{t("cards.next", { day: formatDay(card.due), reps: card.reps })}</small>
      {card.deck_id === null && <MoveFlashcardForm card={card} decks={decks} onChange={onChange} />}
      <details>
        <summary>{t("edit")}</summary>
        <Form send={save} submit={t("save")}>
          <Sides card={card} />
        </Form>
        {card.deck_id !== null && <MoveFlashcardForm card={card} decks={decks} onChange={onChange} />}
        <ActionButton class="quiet" run={remove}>
          {t("delete")}
        </ActionButton>
      </details>
    </>
  );
}
