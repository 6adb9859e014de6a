import { and, asc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  ContentItem,
  ContentListQuery,
  ListedContentItem,
} from "../../../schema/api/courses/content.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { personIdIfItemInTokenReachSql } from "../../identity/auth/token-reach.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { ListPage } from "../../platform/results/list-page.ts";
import { courseStaffCondition } from "../course-permissions.ts";
import { visibleModuleCondition } from "../modules/visibility.ts";
import { moduleAccessRefusalSql } from "./item-access.ts";
import { contentItemForReader, staffOnlyContentReadCondition } from "./items.ts";
import { activeItemOrStaffCondition } from "./visibility.ts";

/** An item's long columns in the database's text form. */
export const itemTextBytesSql = (item: SQL): SQL =>
  sql`(octet_length(coalesce(${item}.data_json::text, '')) + octet_length(coalesce(${item}.description, '')))`;

/** More than a response may have. */
export const maxListBytes = 10_000_000;

const { data_json: _, ...summary } = getTableColumns(contentItems);

/**
 * A module's visible items in order, as many as the window and the size limit allow. Summaries, and items
 * that are locked or need an enrollment, have no `data_json`. 404 if the caller cannot see the module.
 */
export async function listContent(
  db: ReadDb,
  actor: Actor | undefined,
  moduleId: number,
  { fields, skip, limit }: ContentListQuery,
  now: Date,
): Promise<ListPage<ListedContentItem>> {
  const gate = db
    .select({
      is_open: typedSql(z.boolean())`${moduleAccessRefusalSql(modules.id, actor, now)} is null`.as("is_open"),
    })
    .from(sql`(select) as once`)
    .as("gate");
  const isEarly = sql`not ${courseStaffCondition(actor)} and coalesce(${opensFor(actor)} > ${now.toISOString()}, false)`;
  const withData = fields === "summary" ? sql`false` : sql`${gate.is_open} and not (${isEarly})`;
  const listed = sizedWindow(db, actor, withData, { skip, limit });
  const rows = await db
    .select({ item: listed._.selectedFields, seesAll: staffOnlyContentReadCondition(actor) })
    .from(modules)
    .innerJoin(courses, eq(courses.id, modules.course_id))
    .innerJoinLateral(gate, sql`true`)
    .leftJoinLateral(listed, lt(listed.bytes_before, maxListBytes))
    .where(and(eq(modules.id, moduleId), visibleModuleCondition(actor)))
    .orderBy(asc(listed.sequence_index));
  if (rows.length === 0) throw notFound("Module");
  const items = rows.flatMap(({ item, seesAll }) => (item ? [listedItem(item, seesAll)] : []));
  return new ListPage(items, { hasMore: skip + items.length < (rows[0]?.item?.total ?? 0) });
}

/** By the offerings where the caller has a seat, including the modules above. */
const opensFor = (actor: Actor | undefined): SQL => {
  const { id, module_id, course_id, available_from } = contentItems;
  const person = actor ? personIdIfItemInTokenReachSql(actor, id) : null;
  return sql`content_opening_date_for_person(${person}::int, ${course_id}, null, ${module_id}, ${id}, ${available_from})`;
};

/** Each with the bytes before it and the total count. */
function sizedWindow(
  db: ReadDb,
  actor: Actor | undefined,
  withData: SQL,
  { skip, limit }: { skip: number; limit?: number | undefined },
) {
  const window = db
    .select({
      ...summary,
      data_json: sql<
        ContentItem["data_json"] | null
      >`case when ${withData} then ${contentItems.data_json} end`.as("data_json"),
      type_name: typedSql(z.string())`${contentTypes.name}`.as("type_name"),
      type_label: typedSql(z.string())`${contentTypes.label}`.as("type_label"),
      total: typedSql(z.int())`(count(*) over ())::int`.as("total"),
    })
    .from(contentItems)
    .innerJoin(contentTypes, eq(contentTypes.id, contentItems.content_type_id))
    .where(and(eq(contentItems.module_id, modules.id), activeItemOrStaffCondition(actor)))
    .orderBy(asc(contentItems.sequence_index))
    .offset(skip);
  const part = (limit === undefined ? window : window.limit(limit)).as("part");
  const bytes = itemTextBytesSql(sql`part`);
  return db
    .select({
      ...part._.selectedFields,
      bytes_before: typedSql(z.int())`(
        sum(${bytes}) over (order by ${part.sequence_index}) - (${bytes}))::float8`.as("bytes_before"),
    })
    .from(part)
    .as("listed");
}

type Row = Omit<ContentItem, "content_type" | "data_json"> & {
  data_json: ContentItem["data_json"] | null;
  type_name: string;
  type_label: string;
  total: number;
  bytes_before: number;
};

function listedItem(row: Row, seesAll: boolean): ListedContentItem {
  const { type_name: name, type_label: label, total: _, bytes_before: __, data_json, ...item } = row;
  const summary = { ...item, content_type: { name, label } };
  return data_json ? contentItemForReader({ ...summary, data_json }, seesAll) : summary;
}
