import { discussionPosts, discussionThreads } from "../../../../../schema/db/community/discussions.ts";
import { flashcardReviews, flashcards } from "../../../../../schema/db/community/flashcards.ts";
import { notes } from "../../../../../schema/db/community/notes.ts";
import { courseReviews } from "../../../../../schema/db/community/reviews.ts";
import type { Stage } from "./stage.ts";

/** Notes, posts and other community activity. */
export async function meet({ db, id, topics, offerings }: Stage): Promise<void> {
  const note = (number: number) => ({ user_id: id(number), content_item_id: topics.s1.id, body: "" });
  await db.insert(notes).values([note(2), note(2), note(9)]);

  const cards = await db
    .insert(flashcards)
    .values([2, 9].map((number) => ({ user_id: id(number), front: "", back: "" })))
    .returning({ id: flashcards.id });
  const review = (card: { id: number }) => ({
    flashcard_id: card.id,
    rating: "GOOD" as const,
    state: "REVIEW" as const,
  });
  await db.insert(flashcardReviews).values([...cards, ...cards].map(review));

  const thread = (offering: { id: number }) => ({
    course_offering_id: offering.id,
    created_by_user_id: id(2),
  });
  const [first] = await db
    .insert(discussionThreads)
    .values([thread(offerings.signals), thread(offerings.logic)])
    .returning({ id: discussionThreads.id });
  const post = (is_deleted: boolean) => ({
    thread_id: first?.id ?? 0,
    user_id: id(3),
    body: "",
    is_deleted,
  });
  await db.insert(discussionPosts).values([false, false, false, true].map(post));

  await db.insert(courseReviews).values([
    { user_id: id(2), course_offering_id: offerings.signals.id, rating: 5 },
    { user_id: id(3), course_offering_id: offerings.signals.id, rating: 4 },
    { user_id: id(9), course_offering_id: offerings.logic.id, rating: 3 },
  ]);
}
