import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../../../lib/platform/db/client.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { daysBefore } from "./clock.ts";
import { idOf } from "./ids.ts";

const handedIn = {
  lab: {
    body: "All examples pass. An empty list has no mean: I answer None.",
    links: ["https://files.northgate.example/mina/grades.py"],
  },
  assignment: {
    body: "A bowed cello, open G: lines at 98 Hz, 196 Hz and 294 Hz. The fundamental is the weakest of the three.",
    links: ["https://files.northgate.example/mina/spectrum.pdf"],
  },
};

/** A classmate's work, and its points if it was graded. */
type Work = { item: "Weighted grades" | "A spectrum of your own"; by: string; body: string; points?: number };

const classWork: readonly Work[] = [
  { item: "Weighted grades", by: "ada.okafor", body: "All tests pass, also for one grade.", points: 19 },
  { item: "Weighted grades", by: "ben.carter", body: "The letter grade is off by one at 70.", points: 13.5 },
  { item: "Weighted grades", by: "elif.kaya", body: "I round only in the summary.", points: 20 },
  { item: "Weighted grades", by: "grace.lin", body: "Weights that sum to 0 raise ValueError." },
  {
    item: "A spectrum of your own",
    by: "chiara.bianchi",
    body: "A flute: one line at 523 Hz, and a weak one at 1046 Hz.",
  },
  {
    item: "A spectrum of your own",
    by: "hugo.martin",
    body: "A drill: lines at 50, 100 and 150 Hz. 50 Hz is the mains.",
  },
];

/**
 * Work of the demo student and some classmates: labs, most of them graded and released, and assignments that await
 * grading.
 */
export async function insertGradedWork(db: Db, now: Date): Promise<void> {
  const [student, assistant, instructor] = [
    await personOf(db, "mina@northgate.example"),
    await personOf(db, "kofi@northgate.example"),
    await personOf(db, "helena@northgate.example"),
  ];
  const at = now.toISOString();
  const request = JSON.stringify({ at });
  const lab = await itemCalled(db, "Weighted grades");
  const groups = [
    { name: "Labs", weight: 60, content_item_ids: [lab.id] },
    { name: "Quizzes", weight: 40, content_item_ids: await quizzesOf(db, lab.course_id) },
  ];
  await db.execute(sql`
    select set_grading_scheme(${lab.offering_id}, ${JSON.stringify({ groups })}::jsonb, ${instructor}, ${at}, ${request}::jsonb)`);
  const submission = await handIn(db, lab, student, handedIn.lab, at);
  const feedback = "Clear, and the empty list is thought of. Rounding belongs in the summary alone.";
  await db.execute(sql`
    select grade_submission_with_group(
      ${submission}, ${assistant}, ${JSON.stringify({ points: 17.5, feedback })}::jsonb, ${at}, ${request}::jsonb)`);
  for (const [index, { item, by, body, points }] of classWork.entries()) {
    const about = await itemCalled(db, item);
    const person = await personOf(db, `${by}@northgate.example`);
    const moment = daysBefore(now, 6 - index).toISOString();
    const handedInId = await handIn(db, about, person, { body, links: [] }, moment);
    if (points !== undefined)
      await db.execute(sql`
        select grade_submission_with_group(
          ${handedInId}, ${assistant}, ${JSON.stringify({ points, feedback: "See the comments in the file." })}::jsonb,
          ${at}, ${request}::jsonb)`);
  }
  await db.execute(sql`
    select release_or_hide_item_grades(${lab.offering_id}, array[${lab.id}::int], true, ${instructor}, ${at}, ${request}::jsonb)`);
  await handIn(db, await itemCalled(db, "A spectrum of your own"), student, handedIn.assignment, at);
}

type Item = { id: number; course_id: number; offering_id: number };

async function handIn(db: Db, item: Item, person: number, work: object, at: string): Promise<number> {
  const { rows } = await db.execute(sql`
    select (submission).id from submit_work(
      ${person}, ${item.offering_id}, ${item.id}, ${JSON.stringify(work)}::jsonb, ${at}, ${at.slice(0, 10)})`);
  return idOf(rows as { id: number }[]);
}

async function itemCalled(db: Db, title: string): Promise<Item> {
  const [item] = await db
    .select({ id: contentItems.id, course_id: contentItems.course_id, offering_id: courseOfferings.id })
    .from(contentItems)
    .innerJoin(courseOfferings, eq(courseOfferings.course_id, contentItems.course_id))
    .where(eq(contentItems.title, title));
  if (!item) throw new Error(`The demonstration has nothing called ${title}`);
  return item;
}

async function quizzesOf(db: Db, courseId: number): Promise<number[]> {
  const quizzes = await db
    .select({ id: contentItems.id })
    .from(contentItems)
    .innerJoin(contentTypes, eq(contentTypes.id, contentItems.content_type_id))
    .where(and(eq(contentItems.course_id, courseId), eq(contentTypes.name, "quiz")));
  return quizzes.map(({ id }) => id);
}

const personOf = async (db: Db, email: string): Promise<number> =>
  idOf(await db.select({ id: users.id }).from(users).where(eq(users.email, email)));
