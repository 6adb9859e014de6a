import * as reviews from "../../../lib/community/study/flashcard-reviews.ts";
import * as flashcards from "../../../lib/community/study/flashcards.ts";
import { created, createdOrFound, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { ExistingResult } from "../../../lib/platform/results/existing.ts";
import {
  DueFlashcardQuery,
  Flashcard,
  FlashcardCreate,
  FlashcardFromAnswer,
  FlashcardFromQuestion,
  FlashcardQuery,
  FlashcardReview,
  FlashcardReviewCreate,
  FlashcardUpdate,
} from "../../../schema/api/community/flashcards.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("flashcard_id");

export const listFlashcards = endpoint(
  {
    id: "listFlashcards",
    method: "get",
    path: "/flashcards",
    summary: "List the caller's flashcards",
    ...signedIn,
    query: FlashcardQuery,
    ...ok(listOf(Flashcard), "Flashcards, newest first"),
  },
  ({ deps, actor, query }) => flashcards.listFlashcards(deps.db, actor, query),
);

export const listDueFlashcards = endpoint(
  {
    id: "listDueFlashcards",
    method: "get",
    path: "/flashcards/due",
    summary: "List due flashcards",
    ...signedIn,
    query: DueFlashcardQuery,
    ...ok(listOf(Flashcard), "The caller's due flashcards, longest overdue first"),
  },
  ({ deps, actor, query }) => flashcards.listDueFlashcards(deps.db, actor, query, deps.now()),
);

export const createFlashcard = endpoint(
  {
    id: "createFlashcard",
    method: "post",
    path: "/flashcards",
    summary: "Create a flashcard",
    description: "The card is due immediately.",
    ...signedIn,
    body: FlashcardCreate,
    ...created(Flashcard, "The new card"),
    fails: [400],
  },
  ({ deps, actor, body }) => flashcards.createFlashcard(deps.db, actor, body, deps.now()),
);

export const createFlashcardFromAnswer = endpoint(
  {
    id: "createFlashcardFromAnswer",
    method: "post",
    path: "/flashcards/from-answer",
    summary: "Create a flashcard from an answer",
    ...signedIn,
    body: FlashcardFromAnswer,
    ...created(Flashcard, "The new card, about the topic of the conversation"),
    fails: [400],
  },
  ({ deps, actor, body }) => flashcards.createFlashcardFromAnswer(deps.db, actor, body, deps.now()),
);

export const createFlashcardFromQuestion = endpoint(
  {
    id: "createFlashcardFromQuestion",
    method: "post",
    path: "/flashcards/from-question",
    summary: "Create a flashcard from a question",
    description:
      "Uses a question of the tutor. The front is the question with its options, the back is the correct " +
      "option. Returns 400 if the caller has not answered the question. Misconceptions behind wrong " +
      "options are never included.",
    ...signedIn,
    body: FlashcardFromQuestion,
    ...createdOrFound(Flashcard, "The new card", "The existing card of the same question"),
    fails: [400],
    refuses: { 400: ["does_not_exist"] },
  },
  async ({ deps, actor, body }) => {
    const { card, isNew } = await flashcards.createFlashcardFromQuestion(deps.db, actor, body, deps.now());
    return isNew ? card : new ExistingResult(card);
  },
);

export const getFlashcard = endpoint(
  {
    id: "getFlashcard",
    method: "get",
    path: "/flashcards/{flashcard_id}",
    summary: "Read a flashcard",
    ...signedIn,
    params,
    ...ok(Flashcard, "The card"),
    fails: [404],
  },
  ({ deps, actor, params }) => flashcards.getFlashcard(deps.db, actor, params.flashcard_id),
);

export const updateFlashcard = endpoint(
  {
    id: "updateFlashcard",
    method: "put",
    path: "/flashcards/{flashcard_id}",
    summary: "Update a flashcard",
    description: "The review history stays.",
    ...signedIn,
    params,
    body: FlashcardUpdate,
    ...ok(Flashcard, "The updated card"),
    fails: [400, 404],
    refuses: { 400: ["does_not_exist"] },
  },
  ({ deps, actor, params, body }) => flashcards.updateFlashcard(deps.db, actor, params.flashcard_id, body),
);

export const deleteFlashcard = endpoint(
  {
    id: "deleteFlashcard",
    method: "delete",
    path: "/flashcards/{flashcard_id}",
    summary: "Delete a flashcard",
    ...signedIn,
    params,
    ...noContent("Deleted with its reviews"),
    fails: [404],
  },
  ({ deps, actor, params }) => flashcards.deleteFlashcard(deps.db, actor, params.flashcard_id),
);

export const reviewFlashcard = endpoint(
  {
    id: "reviewFlashcard",
    method: "post",
    path: "/flashcards/{flashcard_id}/reviews",
    summary: "Review a flashcard",
    description:
      "Send how well the caller remembered the card. FSRS schedules the next review. `reps` must be the " +
      "card's value when it was shown, so a repeated request counts once and returns the current card.",
    ...signedIn,
    params,
    body: FlashcardReviewCreate,
    ...ok(FlashcardReview, "The card with its next date, and whether the review counted"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) =>
    reviews.reviewFlashcard(deps.db, actor, params.flashcard_id, body, deps.now()),
);
