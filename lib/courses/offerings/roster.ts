import { and, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import type { RosterEntry, RosterQuery } from "../../../schema/api/courses/offerings.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { universityMembers } from "../../../schema/db/identity/university-members.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  latestExternalIdSql,
  memberJoinSql,
  memberSearchTextSql,
  personIdByExternalIdSql,
  sortsByMemberName,
} from "../../identity/users/member-names.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import {
  type PagedRowsQuery,
  queryJsonPageOfOwner,
  wireColumnsSql,
} from "../../platform/db/query/json-rows.ts";
import { createPageQuery, createSortKey } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../../platform/db/query/search-and-sort.ts";
import { csvText } from "../../platform/readers/csv.ts";
import { CsvPage } from "../../platform/results/csv-page.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { nonAnonymousActivityCondition } from "../activity/shown.ts";
import { groupMemberCondition } from "../in-group.ts";
import { explainOfferingRefusal, type OfferingPath, permittedOfferingCondition } from "./offerings.ts";
import { stuckLearnerCutoffSql, stuckLearnersSql } from "./stuck-learners.ts";

const member = alias(universityMembers, "member");

const columns = {
  id: enrollments.id,
  user_id: enrollments.user_id,
  email: users.email,
  full_name: typedSql(z.string())`coalesce(name_at_university(member), ${users.full_name})`,
  external_id: typedSql(
    z.string().nullable(),
  )`${latestExternalIdSql(enrollments.university_id, enrollments.user_id)}`,
  given_name: member.given_name,
  family_name: member.family_name,
  status: enrollments.status,
  enrolled_at: enrollments.enrolled_at,
  completed_at: enrollments.completed_at,
};

const sorts = {
  // The waiting list has the order in which seats are given.
  status: [enrollments.status, enrollments.enrolled_at],
  enrolled_at: [enrollments.enrolled_at],
  ...sortsByMemberName,
  external_id: [
    createSortKey(
      sql`coalesce(${latestExternalIdSql(enrollments.university_id, enrollments.user_id)}, '')`,
      "text",
    ),
  ],
};

export async function listRoster(
  db: ReadDb,
  actor: Actor,
  path: OfferingPath,
  query: RosterQuery,
  now: Date,
): Promise<JsonListPage<RosterEntry>> {
  const list = await queryJsonPageOfOwner<RosterEntry>(
    db,
    sql`${courseOfferings} where ${permittedOfferingCondition(actor, "roster:read", path)}`,
    isByProgress(query.sort) ? byProgress(query, now) : byRow(query, now),
  );
  return list ?? explainOfferingRefusal(db, actor, path);
}

type Sort = RosterQuery["sort"];
type ProgressSort = Extract<Sort, `${string}progress_percent`>;

const isByProgress = (sort: Sort): sort is ProgressSort => /^-?progress_percent$/.test(sort);

/** Computes progress only for the people of the page. */
function byRow({ sort, ...query }: RosterQuery, now: Date): PagedRowsQuery {
  const page = createPageQuery(
    query,
    sortKeysForParameter(sort as Exclude<Sort, ProgressSort>, sorts, enrollments.id),
  );
  const numbered = sql`${page.keyColumn} , row_number() over (order by ${page.order}) as line`;
  return withProgress(query, sql`${entries(numbered)} ${page.tail(wanted(query, now))}`, {
    key: sql`entry.page_key`,
    order: sql`order by entry.line`,
  });
}

/** Computes progress for everyone, because it decides who is on the page. */
function byProgress({ sort, ...query }: RosterQuery, now: Date): PagedRowsQuery {
  const progress_percent = createSortKey(sql`stood.progress_percent::float8`, "double precision");
  const order = sortKeysForParameter(sort as ProgressSort, { progress_percent: [progress_percent] }, entryId);
  const page = createPageQuery(query, order);
  return withProgress(query, sql`${entries()} where ${wanted(query, now)}`, {
    key: page.keyColumn,
    order: page.tail(),
  });
}

const entryId = createSortKey(sql`entry.id`, "integer");

const entries = (also?: SQL): SQL => sql`
  select ${wireColumnsSql(columns)} ${also ? sql`, ${also}` : sql``}
  from ${enrollments} join ${users} on ${users.id} = ${enrollments.user_id}
  ${memberJoinSql(enrollments.university_id, enrollments.user_id)}`;

const wanted = (
  { q, status, external_id, group_id, is_stuck }: Omit<RosterQuery, "sort">,
  now: Date,
): SQL | undefined =>
  and(
    eq(enrollments.course_offering_id, courseOfferings.id),
    isNull(users.erased_at),
    groupMemberCondition(group_id, enrollments.course_offering_id, enrollments.user_id),
    status ? eq(enrollments.status, status) : undefined,
    is_stuck
      ? sql`${enrollments.user_id} in (
          select user_id from ${stuckLearnersSql(courseOfferings.id, stuckLearnerCutoffSql(now))} as stuck)`
      : undefined,
    external_id === undefined
      ? undefined
      : sql`${enrollments.user_id} = ${personIdByExternalIdSql(enrollments.university_id, external_id)}`,
    containsAllWordsCondition(memberSearchTextSql(enrollments.university_id, enrollments.user_id), q),
  );

const names = sql.join(
  Object.keys(columns).map((name) => sql`entry.${sql.identifier(name)}`),
  sql`, `,
);

export const progressOfPeopleSql = (offering: SQLWrapper, people: SQL): SQL => sql`(
  with person as materialized (select unnest(${people}) as id)
  select person.id as user_id, coalesce(kept.progress_percent, own.progress_percent) as progress_percent,
         coalesce(kept.completed_items, own.completed_items) as completed_items, last.moment as last_activity_at
  from person
  left join enrollment_progress as kept on kept.user_id = person.id and kept.course_offering_id = ${offering}
  left join course_progress_of_people(${offering}, array(
    select one.id from person as one where not exists (
      select from enrollment_progress as stored
      where stored.user_id = one.id and stored.course_offering_id = ${offering})
  )) as own on own.user_id = person.id
  cross join lateral (
    select max(occurred_at) as moment from activity_events as event
    where event.course_offering_id = ${offering} and event.user_id = person.id and ${nonAnonymousActivityCondition(sql`event`)}
  ) as last)`;

const withProgress = (
  { limit }: Pick<RosterQuery, "limit">,
  rows: SQL,
  { key, order }: { key: SQLWrapper; order: SQL },
): PagedRowsQuery => ({
  names: [...Object.keys(columns), "progress_percent", "completed_items", "last_activity_at"],
  limit,
  rows: sql`
    with entry as materialized (${rows})
    select ${names}, stood.progress_percent::float8, stood.completed_items,
           ${momentForm(sql`stood.last_activity_at`)} as last_activity_at, ${key}
    from entry
    join ${progressOfPeopleSql(courseOfferings.id, sql`array(select user_id from entry)`)} as stood using (user_id)
    ${order}`,
});

const csvColumns = [
  ...["user_id", "external_id", "full_name", "given_name", "family_name", "email"],
  ...["status", "enrolled_at", "completed_at", "progress_percent", "completed_items", "last_activity_at"],
] as const satisfies (keyof RosterEntry)[];

export function rosterCsv({ text, next }: JsonListPage<RosterEntry>): CsvPage {
  const entries: RosterEntry[] = JSON.parse(text);
  return new CsvPage(
    csvText([csvColumns, ...entries.map((entry) => csvColumns.map((name) => entry[name]))]),
    next,
  );
}
