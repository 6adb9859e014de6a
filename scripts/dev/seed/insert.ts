import { eq, sql } from "drizzle-orm";
import { rollUpReportData } from "../../../lib/operations/analytics/roll-up.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { domains as domainTable } from "../../../schema/db/courses/domains.ts";
import { subjects as subjectTable } from "../../../schema/db/courses/subjects.ts";
import { terms } from "../../../schema/db/courses/terms.ts";
import { countries } from "../../../schema/db/identity/countries.ts";
import { departments } from "../../../schema/db/identity/departments.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { universities as universityTable } from "../../../schema/db/identity/universities.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { type Ids, idOf, idsOf } from "./ids.ts";
import { classmates, insertClassmates } from "./insert-classmates.ts";
import { insertCourses } from "./insert-courses.ts";
import { insertGradedWork } from "./insert-graded-work.ts";
import { insertAttempts, insertResults } from "./insert-results.ts";
import { insertOpenQuestion, insertStudyLife } from "./insert-study-life.ts";
import { insertWalks } from "./insert-walks.ts";
import { domains, type SeedUniversity, subjects, universities } from "./universities.ts";

/** Inserts all demo data; its accounts share one password hash. */
export async function insertDemonstration(db: Db, passwordHash: string, now: Date): Promise<void> {
  const subjectIds = await insertSubjects(db);
  const typeIds = idsOf(await db.select({ id: contentTypes.id, code: contentTypes.name }).from(contentTypes));
  for (const university of universities) {
    const university_id = await insertUniversity(db, university);
    const departmentIds = await insertDepartments(db, university_id, university);
    const instructorId = await insertPeople(db, university_id, university, passwordHash, now);
    const term_id = await insertTerm(db, university_id, now);
    const known = { university_id, term_id, subjectIds, typeIds, departmentIds, instructorId, now };
    await insertCourses(db, university.courses, known);
  }
  await enrollStudents(db);
  await insertStudyLife(db, now);
  await insertClassmates(db, passwordHash, now);
  await insertOpenQuestion(db, now);
  await insertWalks(db, now);
  await insertAttempts(db, classmates, now);
  await insertResults(db, now);
  await insertGradedWork(db, now);
  // More days than a report would roll up on its own.
  await rollUpReportData(db);
}

/** The current term. */
async function insertTerm(db: Db, university_id: number, now: Date): Promise<number> {
  const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const values = {
    university_id,
    name: `Term of ${now.getUTCFullYear()}`,
    starts_on: inDays(-14),
    ends_on: inDays(110),
  };
  return idOf(await db.insert(terms).values(values).returning({ id: terms.id }));
}

async function insertSubjects(db: Db): Promise<Ids> {
  await db.insert(domainTable).values(domains).onConflictDoNothing();
  const domainIds = idsOf(await db.select({ id: domainTable.id, code: domainTable.code }).from(domainTable));
  const rows = subjects.map(({ domain, ...subject }) => ({ ...subject, domain_id: domainIds(domain) }));
  await db.insert(subjectTable).values(rows).onConflictDoNothing();
  return idsOf(await db.select({ id: subjectTable.id, code: subjectTable.code }).from(subjectTable));
}

async function insertUniversity(db: Db, university: SeedUniversity): Promise<number> {
  const { name, shortCode: short_code, timeZone: time_zone, website: website_url } = university;
  const ofCountry = eq(countries.iso_code, university.country);
  const country_id = idOf(await db.select({ id: countries.id }).from(countries).where(ofCountry));
  const values = { name, short_code, time_zone, website_url, country_id };
  return idOf(await db.insert(universityTable).values(values).returning({ id: universityTable.id }));
}

async function insertDepartments(db: Db, university_id: number, university: SeedUniversity): Promise<Ids> {
  const rows = university.departments.map((department) => ({ ...department, university_id }));
  if (rows.length === 0) return idsOf([]);
  return idsOf(
    await db.insert(departments).values(rows).returning({ id: departments.id, code: departments.code }),
  );
}

/** Inserts people with roles, and returns the teacher's id. */
async function insertPeople(
  db: Db,
  university_id: number,
  university: SeedUniversity,
  password_hash: string,
  now: Date,
): Promise<number> {
  let instructorId = 0;
  for (const {
    email,
    name: full_name,
    role,
    timeZone: time_zone = university.timeZone,
  } of university.people) {
    // These addresses receive no mail.
    const account = { email, full_name, time_zone, password_hash, email_verified_at: now.toISOString() };
    const user_id = idOf(await db.insert(users).values(account).returning({ id: users.id }));
    const spelled = role.toUpperCase() as Uppercase<typeof role>;
    await db.insert(userUniversityRoles).values({ user_id, university_id, role: spelled });
    if (role === "instructor") instructorId = user_id;
  }
  return instructorId;
}

/** Enrolls every student in the university's courses without prerequisites. */
async function enrollStudents(db: Db): Promise<void> {
  await db.execute(sql`
    insert into enrollments (user_id, course_offering_id)
    select held.user_id, offering.id
    from user_university_roles as held
    join course_offerings as offering on offering.university_id = held.university_id
    where held.role = 'student'
      and not exists (select from course_prerequisites where course_id = offering.course_id)`);
}
