import { type SQL, sql } from "drizzle-orm";
import { type Collection, numberInSourcedId } from "./collection.ts";
import { orgs, universityId } from "./organizations.ts";
import { enrollments, holdsRoleCondition, users } from "./people.ts";
import { unknownObject } from "./protocol.ts";
import { existsCondition, type Selection } from "./read-resources.ts";
import { academicSessions, classes, courses } from "./teaching.ts";

/** Terms have no parts here. */
const gradingPeriods: Selection = { collection: academicSessions, condition: sql`false` };

const collections: Readonly<Record<string, Selection>> = {
  orgs: { collection: orgs },
  schools: { collection: orgs, condition: sql`one.type = 'school'` },
  academicSessions: { collection: academicSessions },
  terms: { collection: academicSessions },
  gradingPeriods,
  courses: { collection: courses },
  classes: { collection: classes },
  users: { collection: users },
  enrollments: { collection: enrollments },
};

export const rosteringCollectionNames = [...Object.keys(collections), "students", "teachers"];

/** Throws 404 for an unknown collection. */
export function rosteringCollection(name: string, university: number): Selection {
  if (name === "students") return { collection: users, condition: holdsRoleCondition("student", university) };
  if (name === "teachers")
    return { collection: users, condition: holdsRoleCondition("instructor", university) };
  const found = Object.hasOwn(collections, name) ? collections[name] : undefined;
  if (!found) throw unknownObject();
  return found;
}

const learnerOfClassCondition = (offering: number): SQL =>
  sql`exists (select from enrollments as seat
    where seat.user_id = one.id and seat.course_offering_id = ${offering} and seat.is_admitted)`;

const teacherOfClassCondition = (offering: number): SQL =>
  sql`exists (select from course_offering_instructors as teaching
    where teaching.user_id = one.id and teaching.course_offering_id = ${offering})`;

const classOfLearnerCondition = (person: number): SQL =>
  sql`exists (select from enrollments as seat
    where seat.course_offering_id = one.id and seat.user_id = ${person} and seat.is_admitted)`;

const classOfTeacherCondition = (person: number): SQL =>
  sql`exists (select from course_offering_instructors as teaching
    where teaching.course_offering_id = one.id and teaching.user_id = ${person})`;

type Below = { collection: Collection; condition: (parent: number) => SQL };

const below: Readonly<Record<string, Below>> = {
  "classes/students": { collection: users, condition: learnerOfClassCondition },
  "classes/teachers": { collection: users, condition: teacherOfClassCondition },
  "courses/classes": { collection: classes, condition: (course) => sql`one.course_id = ${course}` },
  "terms/classes": { collection: classes, condition: (term) => sql`one.term_id = ${term}` },
  "terms/gradingPeriods": { collection: academicSessions, condition: () => sql`false` },
  "students/classes": { collection: classes, condition: classOfLearnerCondition },
  "teachers/classes": { collection: classes, condition: classOfTeacherCondition },
  "users/classes": {
    collection: classes,
    condition: (person) => sql`(${classOfLearnerCondition(person)} or ${classOfTeacherCondition(person)})`,
  },
};

const ofSchool = ["classes", "courses", "enrollments", "students", "teachers", "terms"];

/** The only school is the university. */
export function nestedRosteringCollection(
  parent: string,
  sourcedId: string,
  nested: string,
  university: number,
): Selection {
  if (parent === "schools" && ofSchool.includes(nested)) {
    if (sourcedId !== universityId(university)) throw unknownObject();
    return rosteringCollection(nested, university);
  }
  const path = `${parent}/${nested}`;
  const found = Object.hasOwn(below, path) ? below[path] : undefined;
  if (!found) throw unknownObject();
  const { collection, condition } = rosteringCollection(parent, university);
  return {
    collection: found.collection,
    condition: found.condition(numberOf(sourcedId)),
    parents: [existsCondition(collection, sourcedId, university, condition)],
  };
}

export function classInSchoolCollection(
  school: string,
  classSourcedId: string,
  inner: string,
  university: number,
): Selection {
  if (school !== universityId(university)) throw unknownObject();
  if (inner !== "enrollments") return nestedRosteringCollection("classes", classSourcedId, inner, university);
  return {
    collection: enrollments,
    condition: sql`one.class_id = ${numberOf(classSourcedId)}`,
    parents: [existsCondition(classes, classSourcedId, university)],
  };
}

/** `existsCondition` checks the rest of the id. */
function numberOf(sourcedId: string): number {
  const [prefix = ""] = sourcedId.split("-");
  const number = numberInSourcedId(prefix, sourcedId);
  if (number === undefined) throw unknownObject();
  return number;
}
