import type { Db } from "../../../lib/platform/db/client.ts";
import { questionPools, questions } from "../../../schema/db/assessment/questions.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { coursePrerequisites, courseSubjects, courses } from "../../../schema/db/courses/courses.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { courseOfferingInstructors, courseOfferings } from "../../../schema/db/courses/offerings.ts";
import type { SeedItem, SeedModule } from "./content.ts";
import { type Ids, idOf } from "./ids.ts";
import type { SeedCourse } from "./universities.ts";

/** Rows that a university's courses refer to. */
export type Known = {
  university_id: number;
  term_id: number;
  subjectIds: Ids;
  typeIds: Ids;
  departmentIds: Ids;
  instructorId: number;
  now: Date;
};

type SeededCourse = Known & { course_id: number };

/** Inserts courses with their contents; later ones may refer to earlier ones. */
export async function insertCourses(db: Db, list: readonly SeedCourse[], known: Known): Promise<void> {
  const courseIds = new Map<string, number>();
  for (const course of list) {
    const course_id = await insertCourse(db, course, known);
    courseIds.set(course.code, course_id);
    for (const { code, type: prerequisite_type } of course.prerequisites) {
      const prerequisite_course_id = courseIds.get(code) ?? 0;
      await db.insert(coursePrerequisites).values({ course_id, prerequisite_course_id, prerequisite_type });
    }
    await insertOffering(db, { ...known, course_id });
    await insertModules(db, course.modules, { ...known, course_id });
  }
}

async function insertCourse(db: Db, course: SeedCourse, known: Known): Promise<number> {
  const { title, code, description, level } = course;
  const primary_subject_id = known.subjectIds(course.subject);
  const values = {
    ...{ title, code, description, level, primary_subject_id },
    university_id: known.university_id,
    department_id: course.department ? known.departmentIds(course.department) : null,
    language_code: course.language ?? "en",
    credit_hours: course.creditHours,
    is_published: true,
  };
  const course_id = idOf(await db.insert(courses).values(values).returning({ id: courses.id }));
  await db.insert(courseSubjects).values({ course_id, subject_id: primary_subject_id, is_primary: true });
  return course_id;
}

/** An offering for everyone, started two weeks ago and open for enrollment. */
async function insertOffering(
  db: Db,
  { course_id, university_id, term_id, instructorId, now }: SeededCourse,
): Promise<void> {
  const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();
  const values = {
    ...{ course_id, university_id, term_id },
    starts_at: inDays(-14),
    ends_at: inDays(110),
    enrollment_start: inDays(-30),
    visibility: "PUBLIC" as const,
  };
  const course_offering_id = idOf(
    await db.insert(courseOfferings).values(values).returning({ id: courseOfferings.id }),
  );
  await db.insert(courseOfferingInstructors).values({ course_offering_id, user_id: instructorId });
}

async function insertModules(
  db: Db,
  list: readonly SeedModule[],
  course: SeededCourse,
  parent: { id: number; depth: number } | null = null,
): Promise<void> {
  for (const [
    at,
    { type: module_type, title, description, items = [], modules: children = [] },
  ] of list.entries()) {
    const depth = parent ? parent.depth + 1 : 0;
    const values = {
      ...{ module_type, title, description, depth },
      course_id: course.course_id,
      parent_module_id: parent?.id ?? null,
      sequence_index: at + 1,
      is_published: true,
    };
    const id = idOf(await db.insert(modules).values(values).returning({ id: modules.id }));
    for (const [index, item] of items.entries())
      await insertItem(db, item, { ...course, module_id: id, index });
    await insertModules(db, children, course, { id, depth });
  }
}

async function insertItem(
  db: Db,
  item: SeedItem,
  course: SeededCourse & { module_id: number; index: number },
): Promise<void> {
  const { title, description, minutes, type, data } = item;
  const pool = item.pool && { question_pool_id: await insertPool(db, item, course) };
  const { module_id, course_id, university_id } = course;
  await db.insert(contentItems).values({
    ...{ title, description, module_id, course_id, university_id },
    content_type_id: course.typeIds(type),
    sequence_index: course.index + 1,
    estimated_duration_seconds: minutes * 60,
    data_json: { ...pool, ...data },
  });
}

async function insertPool(
  db: Db,
  { title, pool = [] }: SeedItem,
  { university_id, course_id }: SeededCourse,
): Promise<number> {
  const id = idOf(
    await db
      .insert(questionPools)
      .values({ university_id, course_id, title })
      .returning({ id: questionPools.id }),
  );
  await db.insert(questions).values(
    pool.map(({ kind, text, options = null, answer, explanation }) => ({
      ...{ question_pool_id: id, kind, explanation },
      question_text: text,
      options_json: options,
      answer_json: answer,
    })),
  );
  return id;
}
