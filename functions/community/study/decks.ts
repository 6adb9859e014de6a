import * as decks from "../../../lib/community/study/decks.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedInWholly } from "../../../lib/identity/auth/guards.ts";
import {
  FlashcardDeck,
  FlashcardDeckCreate,
  FlashcardDeckQuery,
  FlashcardDeckUpdate,
} from "../../../schema/api/community/flashcards.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("deck_id");

export const listFlashcardDecks = endpoint(
  {
    id: "listFlashcardDecks",
    method: "get",
    path: "/decks",
    summary: "List one's own decks of flashcards",
    ...signedInWholly,
    query: FlashcardDeckQuery,
    ...ok(listOf(FlashcardDeck), "By their titles"),
  },
  ({ deps, actor, query }) => decks.listDecks(deps.db, actor, query, deps.now()),
);

export const createFlashcardDeck = endpoint(
  {
    id: "createFlashcardDeck",
    method: "post",
    path: "/decks",
    summary: "Begin a deck of flashcards",
    ...signedInWholly,
    body: FlashcardDeckCreate,
    ...created(FlashcardDeck, "The new deck"),
    fails: [400],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, body }) => decks.createDeck(deps.db, actor, body, deps.now()),
);

export const getFlashcardDeck = endpoint(
  {
    id: "getFlashcardDeck",
    method: "get",
    path: "/decks/{deck_id}",
    summary: "Get a deck of one's own",
    ...signedInWholly,
    params,
    ...ok(FlashcardDeck, "The deck, with the numbers of its cards"),
    fails: [404],
  },
  ({ deps, actor, params }) => decks.getDeck(deps.db, actor, params.deck_id, deps.now()),
);

export const updateFlashcardDeck = endpoint(
  {
    id: "updateFlashcardDeck",
    method: "put",
    path: "/decks/{deck_id}",
    summary: "Change a deck of one's own",
    ...signedInWholly,
    params,
    body: FlashcardDeckUpdate,
    ...ok(FlashcardDeck, "The changed deck"),
    fails: [400, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body }) => decks.updateDeck(deps.db, actor, params.deck_id, body, deps.now()),
);

export const deleteFlashcardDeck = endpoint(
  {
    id: "deleteFlashcardDeck",
    method: "delete",
    path: "/decks/{deck_id}",
    summary: "Delete a deck of one's own with its cards",
    ...signedInWholly,
    params,
    ...noContent("It is gone, and its cards with it"),
    fails: [404],
  },
  ({ deps, actor, params }) => decks.deleteDeck(deps.db, actor, params.deck_id),
);
