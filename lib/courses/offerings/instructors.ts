import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import {
  type Instructor,
  type InstructorQuery,
  NamedInstructor,
} from "../../../schema/api/courses/offerings.ts";
import { Offered } from "../../../schema/api/courses/offers.ts";
import type { NamedPerson } from "../../../schema/api/identity/named-person.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferingInstructors, courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { users } from "../../../schema/db/identity/users.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  ensureNamedPersonExists,
  namedPersonQuery,
  offerRecipientEmailQuery,
} from "../../identity/identities/named-person.ts";
import { createdOfferJsonSql, createOrRenewOffersQuery } from "../../identity/universities/offers.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  containsAllWordsCondition,
  searchAndSortBy,
  sortKeysForParameter,
} from "../../platform/db/query/search-and-sort.ts";
import type { MailBudgets } from "../../platform/mail/mail-budgets.ts";
import { AcceptedResult } from "../../platform/results/accepted.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { visibleCourseCondition } from "../course-permissions.ts";
import { deleteChildRow } from "../permitted-delete.ts";
import {
  explainOfferingRefusal,
  getOffering,
  type OfferingPath,
  offeringPathCondition,
  permittedOfferingCondition,
} from "./offerings.ts";

/**
 * Anyone may read instructors: search and cursors must not reveal addresses, which `search_text` contains.
 */
const { searched, sorts } = searchAndSortBy(sql`searched(${users.full_name})`, "full_name");

/** By default in the order in which they were added. */
export async function listInstructors(
  db: ReadDb,
  actor: Actor | undefined,
  path: OfferingPath,
  { q, sort, ...window }: InstructorQuery,
): Promise<ListPage<Instructor>> {
  const page = createPageQuery(window, sortKeysForParameter(sort, sorts, courseOfferingInstructors.id));
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
      page.where(
        and(
          eq(courseOfferingInstructors.course_offering_id, courseOfferings.id),
          containsAllWordsCondition(searched, q),
        ),
      ),
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
    .where(and(offeringPathCondition(path), visibleCourseCondition(actor)));
  if (rows.length === 0) await getOffering(db, actor, path);
  return page.part(rows.flatMap((row) => row.listed ?? []));
}

const NamingOutcome = z.object({ added: NamedInstructor.nullable(), offered: Offered.nullable() });

/**
 * A person outside the university receives an offer, returned as `Accepted`. 404 for a `user_id` that the
 * caller cannot see, 400 for an existing instructor, 429 above the hourly limit of invitations.
 */
export async function addInstructor(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  named: NamedPerson,
  budgets: MailBudgets,
): Promise<NamedInstructor | AcceptedResult<Offered>> {
  const statement = sql`
    with writable as (
      select university_id, id as course_offering_id from course_offerings
      where ${permittedOfferingCondition(actor, "offering:write", path)}
    ), person as (${namedPersonQuery(actor, named, sql`(select university_id from writable)`)}), added as (
      insert into course_offering_instructors (course_offering_id, user_id)
      select course_offering_id, person.id
      from writable cross join person cross join lateral raise_if_university_inactive(writable.university_id) as active where is_own
      returning *
    ), recipient as materialized (
      select writable.*, email from writable, (${offerRecipientEmailQuery(named)}) as addressee
    ), made as materialized (${createOrRenewOffersQuery({ teaches: true, actor, budgets })})
    select ${createdOfferJsonSql} as offered, (
      select row_to_json(item) from (
        select added.id, course_offering_id, user_id, full_name from added join person on person.id = user_id
      ) as item) as added`;
  const [outcome] = await rowsOf(db, NamingOutcome, statement);
  const { added = null, offered = null } = outcome ?? {};
  if (added) return added;
  if (offered) return new AcceptedResult(offered);
  const isOpen =
    (await db.$count(courseOfferings, permittedOfferingCondition(actor, "offering:write", path))) > 0;
  const university = sql`(select university_id from ${courseOfferings} where ${permittedOfferingCondition(actor, "offering:write", path)})`;
  if (isOpen) await ensureNamedPersonExists(db, actor, named, university);
  return explainOfferingRefusal(db, actor, path);
}

/** 404 if the person is not one. */
export async function removeInstructor(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  userId: number,
): Promise<void> {
  const removal = {
    parent: sql`select id from course_offerings where ${permittedOfferingCondition(actor, "offering:write", path)}`,
    removed: sql`
      delete from course_offering_instructors using parent
      where course_offering_id = parent.id and user_id = ${userId}
      returning user_id`,
  };
  await deleteChildRow(db, removal, "Instructor", () => explainOfferingRefusal(db, actor, path));
}
