import { roles } from "../../schema/enums.ts";
import { buildAdministrationInserts } from "./administration.ts";
import { buildAssessmentInserts } from "./assessments.ts";
import { buildCommunityInserts } from "./community.ts";
import { buildConversationInserts } from "./conversations.ts";
import type { GeneratedTableInsert, MaxIdByTable } from "./generated-inserts.ts";
import type { ScaleSize } from "./size.ts";
import { buildStaffAndCourseInserts } from "./staff-and-courses.ts";

/** Chapters of the first course, below its first module and above its lessons. */
export const firstCourseChapterCount = 100;

/** The load's steps in order; ids follow from the numbers, after existing ones. */
export function buildAllInserts(size: ScaleSize, base: MaxIdByTable): GeneratedTableInsert[] {
  return [
    ...universitiesAndPeople(size, base),
    ...coursesOf(size, base),
    ...buildStaffAndCourseInserts(size, base),
    ...buildAssessmentInserts(size, base),
    ...learningOf(size, base),
    ...buildConversationInserts(size, base),
    ...buildCommunityInserts(size, base),
    ...buildAdministrationInserts(size, base),
  ];
}

/** Person `n` belongs to university `n % universities`; the first ones of each are staff. */
function universitiesAndPeople(
  { universities, people, subjects }: ScaleSize,
  base: MaxIdByTable,
): GeneratedTableInsert[] {
  const domains = subjects / 10;
  const staffRoles = `(array['${roles.slice(1).join("','")}'])[n / ${universities} + 1]`;
  return [
    {
      what: "universities",
      table: "universities",
      columns: "id, name, short_code, country_id",
      count: universities,
      rows: `${base.universities} + n + 1, 'University ' || n, 'SCALE-' || ${base.universities} + n,
             (select min(id) from countries)`,
    },
    {
      what: "domains",
      table: "domains",
      columns: "id, name, code",
      count: domains,
      rows: `${base.domains} + n + 1, 'Domain ' || n, 'SCALE-' || ${base.domains} + n`,
    },
    {
      what: "subjects",
      table: "subjects",
      columns: "id, name, code, domain_id, parent_subject_id",
      count: subjects,
      rows: `${base.subjects} + n + 1, 'Subject ' || n, 'SCALE-' || ${base.subjects} + n,
             ${base.domains} + n % ${domains} + 1,
             case when n >= ${domains} then ${base.subjects} + n % ${domains} + 1 end`,
    },
    {
      what: "people",
      table: "users",
      columns: "id, email, full_name",
      count: people,
      rows: `${base.users} + n + 1, 'person-' || ${base.users} + n || '@scale.example.edu', 'Person ' || n`,
    },
    {
      what: "students",
      table: "user_university_roles",
      columns: "user_id, university_id, role",
      count: people,
      rows: `${base.users} + n + 1, ${base.universities} + n % ${universities} + 1, 'student'`,
    },
    {
      what: "staff",
      table: "user_university_roles",
      columns: "user_id, university_id, role",
      count: universities * (roles.length - 1),
      rows: `${base.users} + n + 1, ${base.universities} + n % ${universities} + 1, ${staffRoles}`,
    },
    {
      what: "preferences",
      table: "user_subject_preferences",
      columns: "user_id, subject_id",
      count: people * 3,
      rows: `${base.users} + n / 3 + 1, ${base.subjects} + (n / 3 * 7 + n % 3) % ${subjects} + 1`,
    },
  ];
}

/**
 * Course `n` belongs to university `n % universities`; nine in ten are published, always including the first
 * of each.
 */
function coursesOf(
  { universities, courses, subjects, modulesInFirst }: ScaleSize,
  base: MaxIdByTable,
): GeneratedTableInsert[] {
  const university = `${base.universities} + n % ${universities} + 1`;
  const first = base.courses + 1;
  const firstModule = base.modules + 1;
  const lessons = modulesInFirst - firstCourseChapterCount - 1;
  const isQuiz = `n % ${2 * universities} = 0`;
  const module = "course_id, parent_module_id, module_type, title, sequence_index, is_published";
  return [
    {
      what: "courses",
      table: "courses",
      columns:
        "id, university_id, title, code, primary_subject_id, is_published, level, language_code, credit_hours",
      count: courses,
      rows: `${base.courses} + n + 1, ${university}, 'Course ' || n, 'SCALE-' || n,
             ${base.subjects} + n % ${subjects} + 1, n % 10 <> 9 or n < ${universities},
             case when n % 3 = 0 then 'graduate' else 'undergraduate' end, case when n % 7 = 0 then 'de' else 'en' end,
             1 + n % 8`,
    },
    {
      what: "subjects of courses",
      table: "course_subjects",
      columns: "course_id, subject_id, is_primary",
      count: courses,
      rows: `${base.courses} + n + 1, ${base.subjects} + n % ${subjects} + 1, true`,
    },
    {
      what: "terms",
      table: "terms",
      columns: "id, university_id, name, starts_on, ends_on",
      count: universities * 10,
      rows: `${base.terms} + n + 1, ${university}, 'Term ' || n, date '2026-01-01' + n / 10, date '2026-06-30' + n / 10`,
    },
    {
      what: "offerings",
      table: "course_offerings",
      columns: "id, course_id, university_id, term_id, term_name, visibility",
      count: courses,
      rows: `${base.course_offerings} + n + 1, ${base.courses} + n + 1, ${university},
             ${base.terms} + n % ${universities * 10} + 1, 'Autumn', 'public'`,
    },
    {
      what: "modules",
      table: "modules",
      columns: `id, ${module}`,
      count: courses,
      rows: `${base.modules} + n + 1, ${base.courses} + n + 1, null, 'unit', 'Module', 1, true`,
    },
    {
      what: "chapters of the first course",
      table: "modules",
      columns: `id, ${module}`,
      count: Math.min(firstCourseChapterCount, modulesInFirst - 1),
      rows: `${base.modules + courses} + n + 1, ${first}, ${firstModule}, 'chapter', 'Chapter', n + 1, true`,
    },
    {
      what: "lessons of the first course",
      table: "modules",
      columns: `id, ${module}`,
      count: Math.max(lessons, 0),
      rows: `${base.modules + courses + firstCourseChapterCount} + n + 1, ${first},
             ${base.modules + courses} + n % ${firstCourseChapterCount} + 1, 'lesson', 'Lesson', n / ${firstCourseChapterCount} + 1, true`,
    },
    {
      what: "content",
      table: "content_items",
      columns: "id, module_id, course_id, university_id, content_type_id, title, data_json",
      count: courses,
      rows: `${base.content_items} + n + 1, ${base.modules} + n + 1, ${base.courses} + n + 1, ${university},
             (select id from content_types where name = case when ${isQuiz} then 'quiz' else 'text' end), 'Topic',
             case when ${isQuiz} then jsonb_build_object('question_pool_id', ${base.question_pools} + n + 1)
                  else '{}' end`,
    },
  ];
}

/** Everyone takes their university's first course, and varying others. */
function learningOf(
  { universities, people, courses, coursesEach }: ScaleSize,
  base: MaxIdByTable,
): GeneratedTableInsert[] {
  const person = `n / ${coursesEach}`;
  const others = courses / universities - 1;
  const stride = Math.floor(others / (coursesEach - 1));
  const ofUniversity = `case n % ${coursesEach} when 0 then 0
    else 1 + (${person} / ${universities} + n % ${coursesEach} * ${stride}) % ${others} end`;
  const course = `(${ofUniversity}) * ${universities} + ${person} % ${universities}`;
  const user = `${base.users} + ${person} + 1`;
  const offering = `${base.course_offerings} + ${course} + 1`;
  const count = people * coursesEach;
  return [
    {
      what: "enrollments",
      table: "enrollments",
      columns: "id, user_id, course_offering_id, status, enrolled_at",
      count,
      rows: `${base.enrollments} + n + 1, ${user}, ${offering}, 'active', now() - make_interval(secs => n)`,
    },
    {
      what: "progress in modules",
      table: "user_module_progress",
      columns: "user_id, course_offering_id, module_id, progress_percent",
      count,
      rows: `${user}, ${offering}, ${base.modules} + ${course} + 1, n % 101`,
    },
    {
      what: "progress in content",
      table: "user_content_progress",
      columns: "user_id, course_offering_id, content_item_id, progress_percent, attempts_count",
      count,
      rows: `${user}, ${offering}, ${base.content_items} + ${course} + 1, n % 101, 1`,
    },
  ];
}
