import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { WholeAccountSignInOnly } from "../components/whole-account-only.tsx";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

export type FlashcardDecksQuery = QueryHookResult<Schemas["FlashcardDeck"][]>;

/** The user's decks. Empty if the sign-in does not reach them. */
export function useFlashcardDecks(): FlashcardDecksQuery {
  const reaches = useCurrentUser().profile.sign_in.reaches_account;
  return useQuery(
    async (signal) =>
      reaches ? allOf(apiClient.listFlashcardDecks, { params: { query: { limit: 1000 } }, signal }) : [],
    [reaches],
  );
}

type MoveCardProps = { card: Schemas["Flashcard"]; decks: FlashcardDecksQuery; onChange: () => void };

/** Moves a card to a deck. Its review history moves with it. */
export const MoveFlashcardForm = ({ card, decks, onChange }: MoveCardProps) => (
  <WholeAccountSignInOnly>
    <QueryBoundary of={decks}>
      {(all) => {
        const others = all.filter(({ id }) => id !== card.deck_id);
        if (others.length === 0 && card.deck_id === null)
          return (
            <p class="quiet">
              <a href={screenHref("flashcards")}>{t("cards.move.no.deck")}</a>
            </p>
          );
        return <Choice card={card} decks={others} onChange={onChange} />;
      }}
    </QueryBoundary>
  </WholeAccountSignInOnly>
);

type ChoiceProps = { card: Schemas["Flashcard"]; decks: Schemas["FlashcardDeck"][]; onChange: () => void };

function Choice({ card, decks, onChange }: ChoiceProps) {
  const move = async (fields: FormData) => {
    const deck = Number(fields.get("deck_id"));
    const params = { path: { flashcard_id: card.id } };
    await dataOf(apiClient.updateFlashcard({ params, body: { deck_id: deck || null } }));
    onChange();
  };
  return (
    <Form class="row" send={move} submit={t("cards.move")}>
      <Field name="deck_id" label={t("cards.move.to")}>
        <select required>
          {decks.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
          {card.deck_id !== null && <option value="0">{t("cards.of.no.deck")}</option>}
        </select>
      </Field>
    </Form>
  );
}
