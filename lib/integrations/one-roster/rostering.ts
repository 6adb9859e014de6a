import { type SQL, sql } from "drizzle-orm";
import { type CollectionDefinition, numberInSourcedId } from "./collection.ts";
import { orgsCollection, toUniversitySourcedId } from "./organizations.ts";
import { enrollmentsCollection, holdsRoleCondition, usersCollection } from "./people.ts";
import { unknownObjectError } from "./protocol.ts";
import { type FilteredCollection, resourceExistsCondition } from "./read-resources.ts";
import { academicSessionsCollection, classesCollection, coursesCollection } from "./teaching.ts";

/** Terms have no parts here. */
const gradingPeriods: FilteredCollection = { collection: academicSessionsCollection, condition: sql`false` };

const collections: Readonly<Record<string, FilteredCollection>> = {
  orgs: { collection: orgsCollection },
  schools: { collection: orgsCollection, condition: sql`one.type = 'school'` },
  academicSessions: { collection: academicSessionsCollection },
  terms: { collection: academicSessionsCollection },
  gradingPeriods,
  courses: { collection: coursesCollection },
  classes: { collection: classesCollection },
  users: { collection: usersCollection },
  enrollments: { collection: enrollmentsCollection },
};

export const rosteringCollectionNames = [...Object.keys(collections), "students", "teachers"];

/** Throws 404 for an unknown collection. */
export function rosteringCollection(name: string, university: number): FilteredCollection {
  if (name === "students")
    return { collection: usersCollection, condition: holdsRoleCondition("student", university) };
  if (name === "teachers")
    return { collection: usersCollection, condition: holdsRoleCondition("instructor", university) };
  const found = Object.hasOwn(collections, name) ? collections[name] : undefined;
  if (!found) throw unknownObjectError();
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

type Below = { collection: CollectionDefinition; condition: (parent: number) => SQL };

const below: Readonly<Record<string, Below>> = {
  "classes/students": { collection: usersCollection, condition: learnerOfClassCondition },
  "classes/teachers": { collection: usersCollection, condition: teacherOfClassCondition },
  "courses/classes": { collection: classesCollection, condition: (course) => sql`one.course_id = ${course}` },
  "terms/classes": { collection: classesCollection, condition: (term) => sql`one.term_id = ${term}` },
  "terms/gradingPeriods": { collection: academicSessionsCollection, condition: () => sql`false` },
  "students/classes": { collection: classesCollection, condition: classOfLearnerCondition },
  "teachers/classes": { collection: classesCollection, condition: classOfTeacherCondition },
  "users/classes": {
    collection: classesCollection,
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
): FilteredCollection {
  if (parent === "schools" && ofSchool.includes(nested)) {
    if (sourcedId !== toUniversitySourcedId(university)) throw unknownObjectError();
    return rosteringCollection(nested, university);
  }
  const path = `${parent}/${nested}`;
  const found = Object.hasOwn(below, path) ? below[path] : undefined;
  if (!found) throw unknownObjectError();
  const { collection, condition } = rosteringCollection(parent, university);
  return {
    collection: found.collection,
    condition: found.condition(numberOf(sourcedId)),
    parents: [resourceExistsCondition(collection, sourcedId, university, condition)],
  };
}

export function nestedCollectionOfSchoolClass(
  school: string,
  classSourcedId: string,
  inner: string,
  university: number,
): FilteredCollection {
  if (school !== toUniversitySourcedId(university)) throw unknownObjectError();
  if (inner !== "enrollments") return nestedRosteringCollection("classes", classSourcedId, inner, university);
  return {
    collection: enrollmentsCollection,
    condition: sql`one.class_id = ${numberOf(classSourcedId)}`,
    parents: [resourceExistsCondition(classesCollection, classSourcedId, university)],
  };
}

/** `existsCondition` checks the rest of the id. */
function numberOf(sourcedId: string): number {
  const [prefix = ""] = sourcedId.split("-");
  const number = numberInSourcedId(prefix, sourcedId);
  if (number === undefined) throw unknownObjectError();
  return number;
}
