import { and, eq, type SQL, sql } from "drizzle-orm";
import type { RosterEntry, RosterQuery } from "../../schema/api/offerings.ts";
import { momentForm } from "../../schema/db/columns.ts";
import { enrollments } from "../../schema/db/enrollments.ts";
import { courseOfferings } from "../../schema/db/offerings.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { jsonListIn, wireColumns } from "../db/json-rows.ts";
import { has, orderOf } from "../db/listing.ts";
import type { JsonList } from "../json-list.ts";
import { type OfferingPath, offeringOpenTo, refuseOffering } from "./offerings.ts";

const columns = {
  id: enrollments.id,
  user_id: enrollments.user_id,
  email: users.email,
  full_name: users.full_name,
  status: enrollments.status,
  enrolled_at: enrollments.enrolled_at,
  completed_at: enrollments.completed_at,
};

const sorts = {
  // Among those who wait it is the order in which seats are given.
  status: [enrollments.status, enrollments.enrolled_at],
  enrolled_at: [enrollments.enrolled_at],
  full_name: [users.search_text],
};

/** Everyone who is or was enrolled in an offering and is asked for, each with how far they are. */
export async function listRoster(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  query: RosterQuery,
): Promise<JsonList<RosterEntry>> {
  const list = await jsonListIn<RosterEntry>(
    db,
    sql`${courseOfferings} where ${offeringOpenTo(actor, "enrollment:manage", path)}`,
    isByProgress(query.sort) ? byProgress(query) : byRow(query),
  );
  return list ?? refuseOffering(db, actor, path);
}

type Sort = RosterQuery["sort"];
type ProgressSort = Extract<Sort, `${string}progress_percent`>;

const isByProgress = (sort: Sort): sort is ProgressSort => /^-?progress_percent$/.test(sort);

/** How far people are is worked out for those of the page alone, */
const byRow = ({ sort, skip, limit, ...wanted }: RosterQuery): SQL =>
  withProgress(
    sql`${entries(wanted, orderOf(sort as Exclude<Sort, ProgressSort>, sorts, enrollments.id))}
        order by line offset ${skip} limit ${limit}`,
    sql`order by line`,
  );

/** and for everyone where it decides who is on the page. */
const byProgress = ({ sort, skip, limit, ...wanted }: RosterQuery): SQL =>
  withProgress(
    entries(wanted, sql`${enrollments.id}`),
    sql`order by ${orderOf(sort as ProgressSort, { progress_percent: [sql`stood.progress_percent`] }, sql`entry.id`)}
        offset ${skip} limit ${limit}`,
  );

const entries = ({ q, status }: Pick<RosterQuery, "q" | "status">, order: SQL): SQL => sql`
  select ${wireColumns(columns)}, row_number() over (order by ${order}) as line
  from ${enrollments} join ${users} on ${users.id} = ${enrollments.user_id}
  where ${and(
    eq(enrollments.course_offering_id, courseOfferings.id),
    status ? eq(enrollments.status, status) : undefined,
    has(users.search_text, q),
  )}`;

const names = sql.join(
  Object.keys(columns).map((name) => sql`entry.${sql.identifier(name)}`),
  sql`, `,
);

const withProgress = (rows: SQL, order: SQL): SQL => sql`
  with entry as materialized (${rows})
  select ${names}, stood.progress_percent::float8, stood.completed_items,
         ${momentForm(sql`stood.last_activity_at`)} as last_activity_at
  from entry
  join progress_of_people(${courseOfferings.id}, array(select user_id from entry)) as stood using (user_id)
  ${order}`;
