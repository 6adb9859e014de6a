import { sql } from "drizzle-orm";
import {
  Flashcard,
  type FlashcardReview,
  type FlashcardReviewCreate,
} from "../../../schema/api/community/flashcards.ts";
import { flashcards } from "../../../schema/db/community/flashcards.ts";
import { recordActivityCte } from "../../courses/activity/record.ts";
import { badRequest, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { memoryStateAfterReview } from "./flashcard-scheduling.ts";
import { cardColumns, getFlashcard, ownFlashcardCondition } from "./flashcards.ts";

/**
 * Reviews the card as shown, identified by `reps`. The first review of a showing counts, and all return its
 * result. 404 for another user's card, 400 for a future showing.
 */
export async function reviewFlashcard(
  db: Db,
  actor: Actor,
  cardId: number,
  { rating, reps }: FlashcardReviewCreate,
  now: Date,
): Promise<FlashcardReview> {
  const [before] = await db
    .select({
      ...cardColumns,
      elapsed_days: flashcards.elapsed_days,
      learning_steps: flashcards.learning_steps,
    })
    .from(flashcards)
    .where(ownFlashcardCondition(actor, cardId));
  if (!before) throw notFound("Flashcard");
  if (reps > before.reps)
    throw badRequest("flashcard_reviewed_meanwhile", { count: before.reps, expected: reps });
  if (reps < before.reps) {
    const { elapsed_days: _, learning_steps: __, ...flashcard } = before;
    return { counted: false, flashcard };
  }
  const after = memoryStateAfterReview(before, rating, now);
  const [flashcard] = await rowsOf(
    db,
    Flashcard,
    sql`
      with after as (
        select ${after.state.toLowerCase()} as state, ${after.due}::timestamptz as due,
               ${after.stability}::float8 as stability, ${after.difficulty}::float8 as difficulty,
               ${after.elapsed_days}::int as elapsed_days, ${after.scheduled_days}::int as scheduled_days,
               ${after.learning_steps}::int as learning_steps
      ), changed as (
        update flashcards set
          state = after.state, due = after.due, stability = after.stability, difficulty = after.difficulty,
          elapsed_days = after.elapsed_days, scheduled_days = after.scheduled_days,
          learning_steps = after.learning_steps,
          reps = ${after.reps}, lapses = ${after.lapses}, last_review = ${after.last_review}
        from after
        where flashcards.id = ${cardId} and user_id = ${actor.id} and reps = ${reps}
        returning flashcards.*
      ), noted as (
        insert into flashcard_reviews
          (flashcard_id, rating, state, due, stability, difficulty, elapsed_days, scheduled_days, learning_steps,
           reviewed_at)
        select id, ${rating.toLowerCase()}, state, due, stability, difficulty, elapsed_days, scheduled_days,
               learning_steps, ${now.toISOString()}
        from changed
      ), done as (
        select 'reviewed' as verb, 'flashcard' as object_type, changed.id as object_id,
               content_items.university_id, content_item_id, null::int as course_offering_id
        from changed left join content_items on content_items.id = content_item_id
      ), ${recordActivityCte(actor, now, sql`done`)}
      select ${wireColumnsSql(cardColumns)} from changed as flashcards, activity`,
  );
  if (flashcard) return { counted: true, flashcard };
  // A concurrent review of the same showing was first.
  return { counted: false, flashcard: await getFlashcard(db, actor, cardId) };
}
