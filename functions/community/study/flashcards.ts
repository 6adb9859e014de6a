import * as reviews from "../../../lib/community/study/flashcard-reviews.ts";
import * as flashcards from "../../../lib/community/study/flashcards.ts";
import { created, createdOrFound, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { Existing } from "../../../lib/platform/results/existing.ts";
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
    summary: "List one's own flashcards",
    ...signedIn,
    query: FlashcardQuery,
    ...ok(listOf(Flashcard), "Newest first"),
  },
  ({ deps, actor, query }) => flashcards.listFlashcards(deps.db, actor, query),
);

export const listDueFlashcards = endpoint(
  {
    id: "listDueFlashcards",
    method: "get",
    path: "/flashcards/due",
    summary: "List one's own flashcards that are due",
    ...signedIn,
    query: DueFlashcardQuery,
    ...ok(listOf(Flashcard), "Those that have waited longest, first"),
  },
  ({ deps, actor, query }) => flashcards.listDueFlashcards(deps.db, actor, query, deps.now()),
);

export const createFlashcard = endpoint(
  {
    id: "createFlashcard",
    method: "post",
    path: "/flashcards",
    summary: "Make a flashcard",
    description: "It is due at once.",
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
    summary: "Make a flashcard of an answer of the tutor",
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
    summary: "Make a flashcard of a question that the tutor asked and one has answered",
    description:
      "Its front is the question with its options, its back the right one. A question that one has not answered is a 400, so that nobody learns what is right before; what wrong options stand for is never told.",
    ...signedIn,
    body: FlashcardFromQuestion,
    ...createdOrFound(Flashcard, "The new card", "The card that was made of the same question before"),
    fails: [400],
    refuses: { 400: ["does_not_exist"] },
  },
  async ({ deps, actor, body }) => {
    const { card, isNew } = await flashcards.createFlashcardFromQuestion(deps.db, actor, body, deps.now());
    return isNew ? card : new Existing(card);
  },
);

export const getFlashcard = endpoint(
  {
    id: "getFlashcard",
    method: "get",
    path: "/flashcards/{flashcard_id}",
    summary: "Get a flashcard of one's own",
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
    summary: "Change a flashcard of one's own",
    description: "What is remembered of it stays.",
    ...signedIn,
    params,
    body: FlashcardUpdate,
    ...ok(Flashcard, "The changed card"),
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
    summary: "Delete a flashcard of one's own",
    ...signedIn,
    params,
    ...noContent("It is gone, and its reviews with it"),
    fails: [404],
  },
  ({ deps, actor, params }) => flashcards.deleteFlashcard(deps.db, actor, params.flashcard_id),
);

export const reviewFlashcard = endpoint(
  {
    id: "reviewFlashcard",
    method: "post",
    path: "/flashcards/{flashcard_id}/reviews",
    summary: "Say how well one remembered a flashcard",
    description:
      "FSRS says when it is shown again. `reps` is that of the card as it was shown: a review that is sent twice counts once, and is answered with the card as it stands.",
    ...signedIn,
    params,
    body: FlashcardReviewCreate,
    ...ok(FlashcardReview, "The card with its next date, and whether this review counted"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) =>
    reviews.reviewFlashcard(deps.db, actor, params.flashcard_id, body, deps.now()),
);
