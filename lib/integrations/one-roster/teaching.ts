import { sql } from "drizzle-orm";
import {
  type CollectionDefinition,
  numberInSourcedId,
  type ResourceRow,
  resourceBase,
  rosteringReference,
} from "./collection.ts";
import { commonFilters } from "./common-filters.ts";
import { toDepartmentSourcedId, toUniversitySourcedId } from "./organizations.ts";

/* A class is a course offering. */

export const toTermSourcedId = (term: number): string => `term-${term}`;
export const toCourseSourcedId = (course: number): string => `course-${course}`;
export const toClassSourcedId = (offering: number): string => `class-${offering}`;

const byNumber = (prefix: string) => (sourcedId: string) => {
  const id = numberInSourcedId(prefix, sourcedId);
  return id === undefined ? undefined : sql`one.id = ${id}`;
};

type TermRow = ResourceRow & { title: string; starts_on: string; ends_on: string };

export const academicSessionsCollection: CollectionDefinition = {
  many: "academicSessions",
  one: "academicSession",
  source: (university) => sql`
    select 'term-' || id as sourced_id, id, true as is_active, updated_at as changed_at, name as title, starts_on, ends_on
    from terms where university_id = ${university}`,
  lookups: sql`one.title, one.starts_on, one.ends_on`,
  names: ["title", "startDate", "endDate", "type", "schoolYear"],
  filters: {
    ...commonFilters,
    title: { kind: "text", value: sql`one.title` },
    type: { kind: "text", value: sql`'term'::text` },
    startDate: { kind: "date", value: sql`one.starts_on` },
    endDate: { kind: "date", value: sql`one.ends_on` },
    schoolYear: { kind: "text", value: sql`to_char(one.ends_on, 'YYYY')` },
  },
  matches: byNumber("term"),
  toResource: (row: TermRow) => ({
    ...resourceBase(row),
    title: row.title,
    startDate: row.starts_on,
    endDate: row.ends_on,
    type: "term",
    schoolYear: row.ends_on.slice(0, 4),
  }),
};

type CourseRow = ResourceRow & {
  title: string;
  code: string;
  department_id: number | null;
  subjects: string[] | null;
};

export const coursesCollection: CollectionDefinition = {
  many: "courses",
  one: "course",
  source: (university) => sql`
    select 'course-' || id as sourced_id, id, true as is_active, updated_at as changed_at, title, code, department_id
    from courses where university_id = ${university}`,
  lookups: sql`
    one.title, one.code, one.department_id, (
      select json_agg(subject.name order by link.is_primary desc, subject.name)
      from course_subjects as link join subjects as subject on subject.id = link.subject_id
      where link.course_id = one.id) as subjects`,
  names: ["title", "courseCode", "org", "subjects"],
  filters: {
    ...commonFilters,
    title: { kind: "text", value: sql`one.title` },
    courseCode: { kind: "text", value: sql`one.code` },
  },
  matches: byNumber("course"),
  toResource: (row: CourseRow, service) => ({
    ...resourceBase(row),
    title: row.title,
    courseCode: row.code,
    org: rosteringReference(
      service,
      "org",
      row.department_id === null
        ? toUniversitySourcedId(service.university)
        : toDepartmentSourcedId(row.department_id),
    ),
    ...(row.subjects && { subjects: row.subjects }),
  }),
};

type ClassRow = ResourceRow & {
  title: string;
  code: string;
  course_id: number;
  term_id: number | null;
  external_id: string | null;
};

export const classesCollection: CollectionDefinition = {
  many: "classes",
  one: "class",
  source: (university) => sql`
    select 'class-' || run.id as sourced_id, run.id, true as is_active, run.updated_at as changed_at,
           concat_ws(', ', course.title, run.term_name) as title, course.code || '-' || run.id as code, run.course_id, run.term_id
    from course_offerings as run join courses as course on course.id = run.course_id
    where run.university_id = ${university}`,
  lookups: sql`
    one.title, one.code, one.course_id, one.term_id, (
      select known.sourced_id from sourced_offerings as known
      where known.course_offering_id = one.id order by known.id desc limit 1) as external_id`,
  names: ["title", "classCode", "classType", "course", "school", "terms", "metadata"],
  filters: {
    ...commonFilters,
    title: { kind: "text", value: sql`one.title` },
    classCode: { kind: "text", value: sql`one.code` },
    classType: { kind: "text", value: sql`'scheduled'::text` },
    "course.sourcedId": { kind: "text", value: sql`'course-' || one.course_id` },
    "terms.sourcedId": { kind: "text", value: sql`'term-' || one.term_id` },
  },
  matches: byNumber("class"),
  toResource: (row: ClassRow, service) => ({
    ...resourceBase(row),
    title: row.title,
    classCode: row.code,
    classType: "scheduled",
    course: rosteringReference(service, "course", toCourseSourcedId(row.course_id)),
    school: rosteringReference(service, "org", toUniversitySourcedId(service.university)),
    terms:
      row.term_id === null
        ? []
        : [rosteringReference(service, "academicSession", toTermSourcedId(row.term_id))],
    ...(row.external_id !== null && { metadata: { externalId: row.external_id } }),
  }),
};
