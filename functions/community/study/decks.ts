import * as decks from "../../../lib/community/study/decks.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedInWithFullReach } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List the caller's flashcard decks",
    ...signedInWithFullReach,
    query: FlashcardDeckQuery,
    ...ok(listOf(FlashcardDeck), "Decks, by title"),
  },
  ({ deps, actor, query }) => decks.listDecks(deps.db, actor, query, deps.now()),
);

export const createFlashcardDeck = endpoint(
  {
    id: "createFlashcardDeck",
    method: "post",
    path: "/decks",
    summary: "Create a flashcard deck",
    ...signedInWithFullReach,
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
    summary: "Read a flashcard deck",
    ...signedInWithFullReach,
    params,
    ...ok(FlashcardDeck, "The deck with its card counts"),
    fails: [404],
  },
  ({ deps, actor, params }) => decks.getDeck(deps.db, actor, params.deck_id, deps.now()),
);

export const updateFlashcardDeck = endpoint(
  {
    id: "updateFlashcardDeck",
    method: "put",
    path: "/decks/{deck_id}",
    summary: "Update a flashcard deck",
    ...signedInWithFullReach,
    params,
    body: FlashcardDeckUpdate,
    ...ok(FlashcardDeck, "The updated deck"),
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
    summary: "Delete a flashcard deck",
    ...signedInWithFullReach,
    params,
    ...noContent("Deleted with its cards"),
    fails: [404],
  },
  ({ deps, actor, params }) => decks.deleteDeck(deps.db, actor, params.deck_id),
);
