import { and, eq, sql } from "drizzle-orm";
import type { NamedPerson } from "../../schema/api/named-person.ts";
import { type Instructor, type InstructorQuery, NamedInstructor } from "../../schema/api/offerings.ts";
import { courses } from "../../schema/db/courses.ts";
import { courseOfferingInstructors, courseOfferings } from "../../schema/db/offerings.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import { removeFrom } from "../courses/removal.ts";
import { courseVisibleTo } from "../courses/visibility.ts";
import type { Db } from "../db/client.ts";
import { has, listedBy, orderOf } from "../db/listing.ts";
import { pageOf } from "../db/page.ts";
import { rowsOf } from "../db/rows.ts";
import type { ListPart } from "../list-part.ts";
import { namedPerson, refuseUnknownPerson } from "../users/naming.ts";
import { getOffering, isAt, type OfferingPath, offeringOpenTo, refuseOffering } from "./offerings.ts";

/** Everyone reads who teaches: neither words nor cursors may tell the address, which `search_text` holds as well. */
const { searched, sorts } = listedBy(sql`searched(${users.full_name})`, "full_name");

/** Who teaches an offering, of those that are asked for, in the order in which they were added unless asked otherwise. */
export async function listInstructors(
  db: Db,
  actor: Actor | undefined,
  path: OfferingPath,
  { q, sort, ...window }: InstructorQuery,
): Promise<ListPart<Instructor>> {
  const page = pageOf(window, orderOf(sort, sorts, courseOfferingInstructors.id));
  const listed = db
    .select({
      id: courseOfferingInstructors.id,
      course_offering_id: courseOfferingInstructors.course_offering_id,
      user_id: courseOfferingInstructors.user_id,
      full_name: users.full_name,
      page_key: page.key,
    })
    .from(courseOfferingInstructors)
    .innerJoin(users, eq(users.id, courseOfferingInstructors.user_id))
    .where(
      page.where(and(eq(courseOfferingInstructors.course_offering_id, courseOfferings.id), has(searched, q))),
    )
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit)
    .as("listed");
  const rows = await db
    .select({ listed: listed._.selectedFields })
    .from(courseOfferings)
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .leftJoinLateral(listed, sql`true`)
    .where(and(isAt(path), courseVisibleTo(actor)));
  if (rows.length === 0) await getOffering(db, actor, path);
  return page.part(rows.flatMap((row) => row.listed ?? []));
}

/** Lets a person teach an offering; 404 for one who is not there or not to be seen, 400 when they teach it already. */
export async function addInstructor(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  named: NamedPerson,
): Promise<NamedInstructor> {
  const statement = sql`
    with person as (${namedPerson(actor, named)}), added as (
      insert into course_offering_instructors (course_offering_id, user_id)
      select course_offerings.id, person.id from course_offerings, person
      where ${offeringOpenTo(actor, "offering:write", path)}
      returning *
    )
    select added.id, course_offering_id, user_id, full_name from added join person on person.id = user_id`;
  const [added] = await rowsOf(db, NamedInstructor, statement);
  if (added) return added;
  const isOpen = (await db.$count(courseOfferings, offeringOpenTo(actor, "offering:write", path))) > 0;
  if (isOpen) await refuseUnknownPerson(db, actor, named);
  return refuseOffering(db, actor, path);
}

/** Takes a person off an offering's instructors; 404 when they are not one. */
export async function removeInstructor(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  userId: number,
): Promise<void> {
  const statement = sql`
    with writable as (
      select id from course_offerings where ${offeringOpenTo(actor, "offering:write", path)}
    ), removed as (
      delete from course_offering_instructors using writable
      where course_offering_id = writable.id and user_id = ${userId}
      returning user_id
    )
    select exists (select from removed) as removed from writable`;
  await removeFrom(db, statement, "Instructor", () => refuseOffering(db, actor, path));
}
