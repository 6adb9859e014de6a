import { eq, sql } from "drizzle-orm";
import { questionPools, questions } from "../../schema/db/assessment/questions.ts";
import { contentItems } from "../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../schema/db/courses/content-types.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { enrollments } from "../../schema/db/courses/enrollments.ts";
import { modules } from "../../schema/db/courses/modules.ts";
import { courseOfferings } from "../../schema/db/courses/offerings.ts";
import { terms } from "../../schema/db/courses/terms.ts";
import { countries } from "../../schema/db/identity/countries.ts";
import { departments } from "../../schema/db/identity/departments.ts";
import { userUniversityRoles } from "../../schema/db/identity/roles.ts";
import { universities } from "../../schema/db/identity/universities.ts";
import { users } from "../../schema/db/identity/users.ts";
import type { CourseLevel, EnrollmentStatus, Role } from "../../schema/enums.ts";
import type { World } from "./world.ts";

let made = 0;
/** Padded, so later names sort after earlier ones. */
const unique = (word: string): string => `${word}-${process.pid}-${String(++made).padStart(6, "0")}`;

/** Inserts rows with unique names. Overrides replace any column. */
export function makersOf(world: World) {
  const db = () => world.deps.db;

  async function country() {
    const [row] = await db().select().from(countries).where(eq(countries.iso_code, "GB"));
    return required(row);
  }

  async function university(overrides: Partial<typeof universities.$inferInsert> = {}) {
    const values = { name: unique("University"), short_code: unique("U"), country_id: (await country()).id };
    return one(
      await db()
        .insert(universities)
        .values({ ...values, ...overrides })
        .returning(),
    );
  }

  async function department(university_id: number, overrides: Partial<typeof departments.$inferInsert> = {}) {
    const values = { university_id, name: unique("Department"), code: unique("D") };
    return one(
      await db()
        .insert(departments)
        .values({ ...values, ...overrides })
        .returning(),
    );
  }

  async function term(university_id: number, overrides: Partial<typeof terms.$inferInsert> = {}) {
    const values = { university_id, name: unique("Term"), starts_on: "2026-02-02", ends_on: "2026-06-19" };
    return one(
      await db()
        .insert(terms)
        .values({ ...values, ...overrides })
        .returning(),
    );
  }

  async function person(overrides: Partial<typeof users.$inferInsert> = {}) {
    const values = { email: `${unique("person")}@example.edu`.toLowerCase(), full_name: unique("Person") };
    const made = one(
      await db()
        .insert(users)
        .values({ ...values, ...overrides })
        .returning(),
    );
    return { ...made, email: required(made.email ?? undefined) };
  }

  /** A person imported by a university who has never signed in. */
  const ownPerson = (made_by_university_id: number) => person({ made_by_university_id });

  async function holder(role: Role, university_id: number, department_id: number | null = null) {
    const someone = await person();
    const spelled = role.toUpperCase() as Uppercase<Role>;
    await db()
      .insert(userUniversityRoles)
      .values({ user_id: someone.id, university_id, role: spelled, department_id });
    return someone;
  }

  async function course(university_id: number, overrides: Partial<typeof courses.$inferInsert> = {}) {
    const level: Uppercase<CourseLevel> = "UNDERGRADUATE";
    const values = { university_id, title: unique("Course"), code: unique("C"), level, is_published: true };
    return one(
      await db()
        .insert(courses)
        .values({ ...values, ...overrides })
        .returning(),
    );
  }

  async function offering(
    course: { id: number; university_id: number },
    overrides: Partial<typeof courseOfferings.$inferInsert> = {},
  ) {
    const values = { course_id: course.id, university_id: course.university_id, term_name: unique("Term") };
    return one(
      await db()
        .insert(courseOfferings)
        .values({ ...values, visibility: "PUBLIC", ...overrides })
        .returning(),
    );
  }

  async function enrollment(
    user_id: number,
    course_offering_id: number,
    status: Uppercase<EnrollmentStatus> = "ACTIVE",
    overrides: Partial<typeof enrollments.$inferInsert> = {},
  ) {
    const values = { user_id, course_offering_id, status, ...overrides };
    return one(await db().insert(enrollments).values(values).returning());
  }

  /** A published module. Siblings need different values of `sequence_index`. */
  async function module(course_id: number, overrides: Partial<typeof modules.$inferInsert> = {}) {
    const values = { course_id, title: unique("Module"), module_type: "UNIT" as const, is_published: true };
    return one(
      await db()
        .insert(modules)
        .values({ ...values, sequence_index: ++made, ...overrides })
        .returning(),
    );
  }

  async function contentItem(
    module: { id: number; course_id: number },
    university_id: number,
    { type = "text", ...overrides }: { type?: string } & Partial<typeof contentItems.$inferInsert> = {},
  ) {
    const [kind] = await db().select().from(contentTypes).where(eq(contentTypes.name, type));
    const values = {
      module_id: module.id,
      course_id: module.course_id,
      university_id,
      content_type_id: required(kind).id,
      title: unique("Topic"),
      data_json: {},
      sequence_index: ++made,
    };
    return one(
      await db()
        .insert(contentItems)
        .values({ ...values, ...overrides })
        .returning(),
    );
  }

  /** A question pool with one question of each kind, each worth one point. `rightAnswers` has the answers. */
  async function questionPool(
    course: { id: number; university_id: number },
    asked: readonly Asked[] = oneOfEach,
  ) {
    const values = { university_id: course.university_id, course_id: course.id, title: unique("Pool") };
    const pool = one(await db().insert(questionPools).values(values).returning());
    const rows = asked.map((question) => ({ question_pool_id: pool.id, ...question }));
    return { pool, questions: await db().insert(questions).values(rows).returning() };
  }

  /** A cache warming of an item without anything to generate. */
  async function warming(content_item_id: number): Promise<void> {
    await db().execute(sql`
      insert into warmings (content_item_id, prompt_id, prompt_name, prompt_version, model, prompt_fingerprint,
                            content_fingerprint, most_nodes, state, ended_at)
      select ${content_item_id}, id, name, version, 'model', '', '', 1, 'done', now() from prompts
      where name = 'tutor' order by version limit 1`);
  }

  /** A university with a published course, an open offering, a module and a text topic. */
  async function topic(overrides: Partial<typeof courses.$inferInsert> = {}) {
    const ofUniversity = await university();
    const ofCourse = await course(ofUniversity.id, overrides);
    const ofOffering = await offering(ofCourse);
    const ofModule = await module(ofCourse.id);
    const item = await contentItem(ofModule, ofUniversity.id);
    return { university: ofUniversity, course: ofCourse, offering: ofOffering, module: ofModule, item };
  }

  return {
    unique,
    country,
    university,
    department,
    term,
    person,
    ownPerson,
    holder,
    course,
    offering,
    enrollment,
    module,
    contentItem,
    questionPool,
    topic,
    warming,
  };
}

type Asked = Omit<typeof questions.$inferInsert, "question_pool_id">;

const options = ["A", "B", "C"].map((id) => ({ id, text: `Option ${id}` }));

const oneOfEach: readonly Asked[] = [
  { kind: "SINGLE_CHOICE", question_text: "One?", options_json: options, answer_json: { option_id: "B" } },
  {
    kind: "MULTIPLE_CHOICE",
    question_text: "Which?",
    options_json: options,
    answer_json: { option_ids: ["A", "C"] },
  },
  { kind: "TRUE_FALSE", question_text: "True?", answer_json: { value: true } },
  { kind: "NUMERIC", question_text: "How many?", answer_json: { value: 9.8, tolerance: 0.1 } },
  { kind: "SHORT_ANSWER", question_text: "Who?", answer_json: { texts: ["Newton", "Isaac Newton"] } },
];

const one = <T>(rows: T[]): T => required(rows[0]);

function required<T>(row: T | undefined): T {
  if (row === undefined) throw new Error("a maker made no row");
  return row;
}
