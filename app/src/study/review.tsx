import { dataOf, type Schemas } from "learning-platform-client";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { focusOnMountRef } from "../components/focus-at-once.ts";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { cardLanguage } from "./deck.tsx";

type Card = Schemas["Flashcard"];
type Rating = Schemas["FlashcardReviewCreate"]["rating"];

const ratings: Rating[] = ["AGAIN", "HARD", "GOOD", "EASY"];

export function FlashcardReviewScreen({ deck }: { deck?: string }) {
  const query = { limit: 100, ...(deck && { deck_id: Number(deck) }) };
  const due = useQuery(
    (signal) => dataOf(apiClient.listDueFlashcards({ params: { query }, signal })),
    [deck],
  );
  return (
    <>
      <BackLink route={["flashcards", ...(deck ? [deck] : [])]}>{t("flashcards")}</BackLink>
      <ScreenHeading title={t("review")} />
      <QueryBoundary of={due}>
        {(cards) => <Round key={cards.map(({ id }) => id).join()} cards={cards} onMore={due.again} />}
      </QueryBoundary>
    </>
  );
}

function Round({ cards, onMore }: { cards: Card[]; onMore: () => void }) {
  const [done, setDone] = useState(0);
  const card = cards[done];
  if (!card)
    return (
      <EmptyMessage>
        {/* The last card had the focus and is gone. */}
        <p role="status" tabIndex={-1} ref={done > 0 ? focusOnMountRef : null}>
          {done === 0 ? t("cards.none.due") : t("review.done", { n: done })}
        </p>
        <div class="row centered">
          {done > 0 && <ButtonWithFocusFallback onClick={onMore}>{t("review.more")}</ButtonWithFocusFallback>}
          <a class="button" href={screenHref("flashcards")}>
            {t("flashcards")}
          </a>
        </div>
      </EmptyMessage>
    );
  return (
    <>
      <p class="quiet" role="status">
        {t("review.at", { at: done + 1, all: cards.length })}
      </p>
      <CardInReview key={card.id} card={card} onReviewed={() => setDone(done + 1)} />
    </>
  );
}

/** A card: front, back, then a rating by button or keys 1 to 4. */
function CardInReview({ card, onReviewed }: { card: Card; onReviewed: () => void }) {
  const [isTurned, setTurned] = useState(false);
  const section = useRef<HTMLElement>(null);
  // A layout effect: a key pressed right after the render must not be lost.
  useLayoutEffect(() => section.current?.focus(), [isTurned]);
  const rate = async (rating: Rating) => {
    const params = { path: { flashcard_id: card.id } };
    await dataOf(apiClient.reviewFlashcard({ params, body: { rating, reps: card.reps } }));
    onReviewed();
  };
  const byKey = (event: KeyboardEvent) => {
    const button = isTurned && section.current?.querySelectorAll<HTMLButtonElement>(".ratings button");
    if (button) button[Number(event.key) - 1]?.click();
  };
  return (
    <section class="card review" ref={section} tabIndex={-1} onKeyDown={byKey} aria-label={t("cards.front")}>
      <MarkdownWithFormulas source={card.front} lang={cardLanguage(card)} inLines />
      {isTurned ? (
        <>
          <hr />
          <section aria-label={t("cards.back")} aria-live="polite">
            <MarkdownWithFormulas source={card.back} lang={cardLanguage(card)} inLines />
          </section>
          <fieldset class="ratings">
            <legend>{t("review.how")}</legend>
            {ratings.map((rating, at) => (
              <ActionButton key={rating} class={`rating ${rating.toLowerCase()}`} run={() => rate(rating)}>
                <span class="key" aria-hidden="true">
                  {at + 1}
                </span>{" "}
                {t(`rating.${rating}`)}
              </ActionButton>
            ))}
          </fieldset>
        </>
      ) : (
        <ButtonWithFocusFallback class="primary" onClick={() => setTurned(true)}>
          {t("review.turn")}
        </ButtonWithFocusFallback>
      )}
    </section>
  );
}
