import { count, desc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SubqueryWithSelection } from "drizzle-orm/pg-core";
import * as z from "zod";
import type {
  AllFeatureRequestsQuery,
  FeatureRequest,
  FeatureRequestCreate,
  FeatureRequestOfUserPage,
  FeatureRequestPage,
  FeatureRequestUpdate,
} from "../../../schema/api/operations/feature-requests.ts";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { featureRequests, featureRequestTotals } from "../../../schema/db/operations/feature-requests.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { visiblePersonCondition } from "../../identity/users/visibility.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { createPageQuery, descending } from "../../platform/db/query/page.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import type { ListPage, PageBody } from "../../platform/results/list-page.ts";

const columns = {
  id: featureRequests.id,
  title: featureRequests.title,
  description: featureRequests.description,
  status: featureRequests.status,
  admin_notes: featureRequests.admin_notes,
  created_at: featureRequests.created_at,
  updated_at: featureRequests.updated_at,
};

export async function listMyFeatureRequests(
  db: ReadDb,
  actor: Actor,
  pagination: Pagination,
): Promise<PageBody<FeatureRequestPage>> {
  const own = eq(featureRequests.user_id, actor.id);
  const counted = db
    .select({ total: count().as("total") })
    .from(featureRequests)
    .where(own)
    .as("counted");
  const { part, total } = await countedPage(db, own, counted, pagination, sql`false`);
  return part
    .map(({ user_email: _, user_name: __, ...request }) => request)
    .within((data) => ({ data, total }));
}

/** Newest first, with the total. Includes authors that the caller may see. */
export async function listAllFeatureRequests(
  db: ReadDb,
  actor: Actor,
  { status, ...pagination }: AllFeatureRequestsQuery,
): Promise<PageBody<FeatureRequestOfUserPage>> {
  const { requests } = featureRequestTotals;
  const counted = db
    .select({ total: typedSql(z.int())`coalesce(sum(${requests}), 0)::int`.as("total") })
    .from(featureRequestTotals)
    .where(status && eq(featureRequestTotals.status, status))
    .as("counted");
  const filter = status && eq(featureRequests.status, status);
  const { part, total } = await countedPage(db, filter, counted, pagination, visiblePersonCondition(actor));
  return part.within((data) => ({ data, total }));
}

type Counted = SubqueryWithSelection<{ total: SQL.Aliased<number> }, "counted">;

/**
 * A page and the total. Joining to the total returns it for an empty page too. Authors are null unless
 * `named` allows their row of `users`.
 */
async function countedPage(
  db: ReadDb,
  filter: SQL | undefined,
  counted: Counted,
  pagination: Pagination,
  named: SQL,
): Promise<{ part: ListPage<FeatureRequestOfUserPage["data"][number]>; total: number }> {
  const asked = createPageQuery(pagination, [
    descending(featureRequests.created_at),
    descending(featureRequests.id),
  ]);
  const page = db
    .select({ ...columns, user_id: featureRequests.user_id, page_key: asked.key })
    .from(featureRequests)
    .where(asked.where(filter))
    .orderBy(asked.order)
    .offset(asked.skip)
    .limit(asked.limit)
    .as("page");
  const { user_id, ...request } = page._.selectedFields;
  // Checked after paging. Otherwise everyone visible to the caller would be scanned.
  const ofNamed = (column: SQLWrapper) =>
    typedSql(z.string().nullable())`case when ${named} then ${column} end`;
  const rows = await db
    .select({
      total: counted.total,
      request: { ...request, user_email: ofNamed(users.email), user_name: ofNamed(users.full_name) },
    })
    .from(counted)
    .leftJoin(page, sql`true`)
    .leftJoin(users, eq(users.id, user_id))
    .orderBy(desc(page.created_at), desc(page.id));
  return { part: asked.part(rows.flatMap(({ request }) => request ?? [])), total: rows[0]?.total ?? 0 };
}

export async function createFeatureRequest(
  db: Db,
  actor: Actor,
  input: FeatureRequestCreate,
): Promise<FeatureRequest> {
  const [created] = await db
    .insert(featureRequests)
    .values({ ...input, user_id: actor.id })
    .returning(columns);
  if (!created) throw notFound("Feature request");
  return created;
}

/** Any transition of the status, or the notes; 404 without the request. */
export async function updateFeatureRequest(
  db: Db,
  requestId: number,
  change: FeatureRequestUpdate,
): Promise<FeatureRequest> {
  const [changed] = await db
    .update(featureRequests)
    .set(partialUpdateValues(change, featureRequests))
    .where(eq(featureRequests.id, requestId))
    .returning(columns);
  if (!changed) throw notFound("Feature request");
  return changed;
}
