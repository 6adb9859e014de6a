import { eq, sql } from "drizzle-orm";
import type { Db } from "../../../lib/platform/db/client.ts";
import {
  discussionPosts,
  discussionReports,
  discussionThreads,
} from "../../../schema/db/community/discussions.ts";
import { flashcardDecks, flashcards } from "../../../schema/db/community/flashcards.ts";
import { notes } from "../../../schema/db/community/notes.ts";
import { announcements } from "../../../schema/db/courses/announcements.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { idOf } from "./ids.ts";

const asked = "The text says that x(t - 2) is a shift to the right. Why not to the left, when we subtract?";
const answered =
  "Ask when the shifted signal does what the old one did at 0: when t - 2 is 0, and so two seconds later.";

const unwelcome = "Does anyone have the answers to the quiz? I would give you mine for the next one.";

const cards = [
  { front: "Where does x(t - 2) lie, seen from x(t)?", back: "Two seconds later: to the right." },
  { front: "What does x(2t) do to a signal?", back: "It runs twice as fast, in half of the time." },
];

/** Demo users' content: a thread, a reported post, an announcement, a note and flashcards. */
export async function insertStudyLife(db: Db, now: Date): Promise<void> {
  const student = await personOf(db, "mina@northgate.example");
  const classmate = await personOf(db, "noor@northgate.example");
  const assistant = await personOf(db, "kofi@northgate.example");
  const [item] = await db.select().from(contentItems).where(eq(contentItems.title, "Shifting and scaling"));
  if (!item) throw new Error("The demonstration's topic is not there");
  await insertClassroom(db, { ...item, student, classmate, assistant }, now);

  const note = "Shifting and scaling do not commute: try x(2t - 2) both ways.";
  await db.insert(notes).values({ user_id: student, content_item_id: item.id, body: note });
  const deck = { user_id: student, title: "Signals before the exam" };
  const deck_id = idOf(await db.insert(flashcardDecks).values(deck).returning({ id: flashcardDecks.id }));
  const of = { user_id: student, deck_id, content_item_id: item.id, due: now.toISOString() };
  await db.insert(flashcards).values(cards.map((card) => ({ ...card, ...of })));
}

/** A classmate's question that no one has answered, for the teacher's desk. */
export async function insertOpenQuestion(db: Db, now: Date): Promise<void> {
  const classmate = await personOf(db, "elif.kaya@northgate.example");
  const [topic] = await db
    .select({ id: contentItems.id, offering: courseOfferings.id })
    .from(contentItems)
    .innerJoin(courseOfferings, eq(courseOfferings.course_id, contentItems.course_id))
    .where(eq(contentItems.title, "The idea of the Fourier series"));
  if (!topic) throw new Error("The demonstration's topic is not there");
  const thread = {
    course_offering_id: topic.offering,
    content_item_id: topic.id,
    created_by_user_id: classmate,
    title: "Does the overshoot ever go away?",
  };
  const body = "With more sines it gets narrower, but not lower. Is that an error in my plot?";
  await insertThread(db, thread, [[classmate, body]], now);
}

async function insertThread(
  db: Db,
  thread: typeof discussionThreads.$inferInsert,
  posts: readonly (readonly [person: number, body: string])[],
  now: Date,
): Promise<number> {
  const id = idOf(await db.insert(discussionThreads).values(thread).returning({ id: discussionThreads.id }));
  for (const [person, body] of posts)
    await db.execute(
      sql`select add_discussion_post_and_notify(${id}, null, ${person}, ${body}, ${now.toISOString()}, '{}')`,
    );
  return id;
}

async function insertClassroom(
  db: Db,
  about: { id: number; course_id: number; student: number; classmate: number; assistant: number },
  now: Date,
): Promise<void> {
  const { id: content_item_id, course_id, student, classmate, assistant } = about;
  const [offering] = await db.select().from(courseOfferings).where(eq(courseOfferings.course_id, course_id));
  if (!offering) throw new Error("The demonstration's topic has no offering");
  await db.insert(announcements).values({
    university_id: offering.university_id,
    course_offering_id: offering.id,
    title: "The tutorial on Thursday is in room 4.12",
    body: "Bring your questions on shifting and scaling. The one about left and right is answered in the discussions.",
    created_by_user_id: assistant,
    published_at: now.toISOString(),
  });
  const thread = { course_offering_id: offering.id, content_item_id, created_by_user_id: student };
  const posts = [
    [student, asked],
    [assistant, answered],
    [classmate, unwelcome],
  ] as const;
  const thread_id = await insertThread(db, { ...thread, title: "Left or right?" }, posts, now);
  const answer = await db
    .select({ id: discussionPosts.id })
    .from(discussionPosts)
    .where(eq(discussionPosts.user_id, assistant));
  await db
    .update(discussionThreads)
    .set({ answer_post_id: idOf(answer) })
    .where(eq(discussionThreads.id, thread_id));
  const reported = await db
    .select({ id: discussionPosts.id })
    .from(discussionPosts)
    .where(eq(discussionPosts.user_id, classmate));
  await db.insert(discussionReports).values({
    post_id: idOf(reported),
    course_offering_id: offering.id,
    user_id: student,
    reason: "That is not what the discussions are for.",
    created_at: now.toISOString(),
  });
}

const personOf = async (db: Db, email: string): Promise<number> =>
  idOf(await db.select({ id: users.id }).from(users).where(eq(users.email, email)));
