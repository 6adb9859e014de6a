import { and, eq, getTableColumns, sql } from "drizzle-orm";
import * as z from "zod";
import {
  Exemption,
  type ExemptionCreate,
  type ExemptionQuery,
} from "../../../schema/api/courses/exemptions.ts";
import { Offered } from "../../../schema/api/courses/offers.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseExemptions } from "../../../schema/db/courses/exemptions.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { badRequest, forbidden } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  ensureNamedPersonExists,
  isNamedPersonCaller,
  namedPersonQuery,
  offerRecipientEmailQuery,
} from "../../identity/identities/named-person.ts";
import { createdOfferJsonSql, createOrRenewOffersQuery } from "../../identity/universities/offers.ts";
import { visiblePersonCondition } from "../../identity/users/visibility.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, StoredInstant, typedSql } from "../../platform/db/query/rows.ts";
import {
  containsAllWordsCondition,
  searchAndSortBy,
  sortKeysForParameter,
} from "../../platform/db/query/search-and-sort.ts";
import type { MailBudgets } from "../../platform/mail/mail-budgets.ts";
import { AcceptedResult } from "../../platform/results/accepted.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { visibleCourseCondition } from "../course-permissions.ts";
import { explainCourseRefusal, permittedCourseCondition } from "../courses.ts";
import { deleteChildRow } from "../permitted-delete.ts";

export async function listExemptions(
  db: ReadDb,
  actor: Actor,
  courseId: number,
  { q, user_id, prerequisite_course_id, sort, ...window }: ExemptionQuery,
): Promise<ListPage<Exemption>> {
  // Names of people exempted by address alone stay hidden, so search and cursors must not reveal them.
  const { searched, sorts } = searchAndSortBy(
    sql`case when ${visiblePersonCondition(actor)} then ${users.search_text} else '' end`,
    "full_name",
  );
  const page = createPageQuery(window, sortKeysForParameter(sort, sorts, courseExemptions.id));
  const wanted = and(
    eq(courseExemptions.course_id, courses.id),
    containsAllWordsCondition(searched, q),
    user_id ? eq(courseExemptions.user_id, user_id) : undefined,
    prerequisite_course_id ? eq(courseExemptions.prerequisite_course_id, prerequisite_course_id) : undefined,
  );
  const listed = db
    .select({
      ...getTableColumns(courseExemptions),
      full_name: nameFor(actor).as("full_name"),
      page_key: page.key,
    })
    .from(courseExemptions)
    .innerJoin(users, eq(users.id, courseExemptions.user_id))
    .where(page.where(wanted))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit)
    .as("listed");
  const rows = await db
    .select({ listed: listed._.selectedFields })
    .from(courses)
    .leftJoinLateral(listed, sql`true`)
    .where(permittedCourseCondition(actor, "exemption:manage", courseId));
  if (rows.length === 0) await explainCourseRefusal(db, actor, courseId);
  return page.part(rows.flatMap((row) => row.listed ?? []));
}

const nameFor = (actor: Actor) =>
  typedSql(z.string().nullable())`case when ${visiblePersonCondition(actor)} then ${users.full_name} end`;

const StoredExemption = Exemption.extend({ created_at: StoredInstant });

const GrantOutcome = z.object({ granted: StoredExemption.nullable(), offered: Offered.nullable() });

/**
 * For the course's staff; audited. A person outside the university receives an offer, returned as `Accepted`.
 * 404 for a `user_id` that the caller cannot see, 403 for the caller themselves, 429 above the hourly limit
 * of invitations. 400 for an unknown prerequisite or an existing exemption.
 */
export async function grantExemption(
  db: Db,
  actor: Actor,
  courseId: number,
  { prerequisite_course_id, ...named }: ExemptionCreate,
  budgets: MailBudgets,
): Promise<Exemption | AcceptedResult<Offered>> {
  const university = sql`(select university_id from courses where id = ${courseId})`;
  const statement = sql`
    with person as (${namedPersonQuery(actor, named, university)}), required as materialized (
      select needed as prerequisite, ${university} as university_id from course_prerequisites as needed
      where needed.course_id = ${courseId} and needed.prerequisite_course_id = ${prerequisite_course_id}
        and exists (select from courses where ${permittedCourseCondition(actor, "exemption:manage", courseId)})
        and exists (select from courses where id = ${prerequisite_course_id} and ${visibleCourseCondition(actor)})
    ), granted as (
      insert into course_exemptions (course_id, prerequisite_course_id, user_id, granted_by_user_id)
      select (prerequisite).course_id, (prerequisite).prerequisite_course_id, person.id, ${actor.id}::int
      from required join person on is_own and person.id <> ${actor.id}
      cross join lateral raise_if_university_inactive(required.university_id) as active
      returning *
    ), audited as (${insertAuditEventsQuery({ action: "exemption.granted", actor: actor.id, ...exemptionOf(courseId) }, sql`granted`)}),
    recipient as materialized (
      select required.*, null::int as course_offering_id, email from required, (${offerRecipientEmailQuery(named)}) as addressee
    ), made as materialized (${createOrRenewOffersQuery({ excusedFrom: sql`recipient.prerequisite`, actor, budgets })})
    select ${createdOfferJsonSql} as offered, (
      select row_to_json(item) from (
        select granted.*, ${nameFor(actor)} as full_name from granted join users on users.id = granted.user_id
      ) as item) as granted`;
  const [outcome] = await rowsOf(db, GrantOutcome, statement);
  const { granted = null, offered = null } = outcome ?? {};
  if (granted) return { ...granted, created_at: toInstant(granted.created_at) };
  if (offered) return new AcceptedResult(offered);
  if ((await db.$count(courses, permittedCourseCondition(actor, "exemption:manage", courseId))) === 0)
    await explainCourseRefusal(db, actor, courseId);
  if (await isNamedPersonCaller(db, actor, named, university)) throw forbidden();
  await ensureNamedPersonExists(db, actor, named, university);
  throw badRequest("not_a_prerequisite", { id: prerequisite_course_id });
}

/** For the course's staff; audited. Returns 404 if there is none. */
export async function revokeExemption(
  db: Db,
  actor: Actor,
  courseId: number,
  exemptionId: number,
): Promise<void> {
  const removal = {
    parent: sql`select id from courses where ${permittedCourseCondition(actor, "exemption:manage", courseId)}`,
    removed: sql`
      delete from course_exemptions using parent
      where course_id = parent.id and course_exemptions.id = ${exemptionId}
      returning course_exemptions.*`,
    audited: insertAuditEventsQuery(
      { action: "exemption.revoked", actor: actor.id, ...exemptionOf(courseId) },
      sql`removed`,
    ),
  };
  await deleteChildRow(db, removal, "Exemption", () => explainCourseRefusal(db, actor, courseId));
}

const exemptionOf = (courseId: number) => ({
  subject: sql`user_id`,
  university: sql`(select university_id from courses where id = ${courseId})`,
  details: sql`jsonb_build_object('course_id', course_id, 'prerequisite_course_id', prerequisite_course_id)`,
});
