import { sql } from "drizzle-orm";
import { makersOf } from "./makers.ts";
import type { World } from "./world.ts";

/**
 * A university with classes of one course. Each learner has a seat in each class and a result in each of its three
 * quizzes: one with released grades, one without, and an anonymous one without.
 */
export async function makeGradedClasses(world: World, size: { classes: number; learners: number }) {
  const make = makersOf(world);
  const { db } = world.deps;
  const university = await make.university();
  const course = await make.course(university.id);
  const module = await make.module(course.id);
  const quizWith = (data_json: Record<string, unknown>) =>
    make.contentItem(module, university.id, { type: "quiz", data_json });
  const [quiz, hidden, anonymous] = [
    await quizWith({}),
    await quizWith({}),
    await quizWith({ anonymous: true }),
  ];
  const offerings: Awaited<ReturnType<typeof make.offering>>[] = [];
  for (let n = 0; n < size.classes; n += 1) offerings.push(await make.offering(course));
  const learners: Awaited<ReturnType<typeof make.person>>[] = [];
  for (let n = 0; n < size.learners; n += 1) learners.push(await make.person());
  const people = sql`(select unnest(${sql.param(learners.map(({ id }) => id))}::int[]) as user_id) as person`;
  const runs = sql`(select id from course_offerings where course_id = ${course.id}) as run`;
  const items = sql`(select id from content_items where course_id = ${course.id}) as item`;
  await db.execute(sql`
    insert into enrollments (user_id, course_offering_id) select person.user_id, run.id from ${people} cross join ${runs}`);
  await db.execute(sql`
    insert into quiz_attempts (user_id, course_offering_id, content_item_id, started_at, submitted_at, score_obtained, max_score)
    select person.user_id, run.id, item.id, '2026-03-01', '2026-03-01', 4, 5
    from ${people} cross join ${runs} cross join ${items}`);
  await db.execute(sql`
    insert into grade_releases (course_offering_id, content_item_id, released_at)
    select run.id, ${quiz.id}, '2026-03-02' from ${runs}`);
  // Rows have the time of the test's database, not of its world.
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      update course_offerings set created_at = '2026-01-01', updated_at = '2026-01-01' where course_id = ${course.id}`);
    await tx.execute(sql`
      update content_items set created_at = '2026-01-01', updated_at = '2026-01-01' where course_id = ${course.id}`);
  });
  return { university, course, quiz, hidden, anonymous, offerings, learners };
}
