import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ContentItem } from "../../../schema/api/courses/content.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { coursePermissionCondition } from "../course-permissions.ts";
import { type AccessRefusal, accessRefusalError, itemAccessRefusalSql } from "./item-access.ts";
import { dataJsonForStudents } from "./student-view.ts";
import { visibleContentItemCondition } from "./visibility.ts";

const columns = getTableColumns(contentItems);
export const contentTypeColumns = { name: contentTypes.name, label: contentTypes.label };

/** The caller sees items of a course in full, or as a student. */
export const staffOnlyContentReadCondition = (actor: Actor | undefined) =>
  typedSql(z.boolean())`${coursePermissionCondition(actor, "key:read")}`;

/**
 * Offerings where an anonymous item's grades are released. Names are shown there until the release is
 * withdrawn (schema/functions/assessment/anonymous-work.sql).
 */
export const offeringsWithNamesReleasedSql = typedSql(z.array(z.int()))`case
  when ${contentItems.data_json} -> 'anonymous' = 'true'
  then array(select course_offering_id from grade_releases where content_item_id = ${contentItems.id} order by 1)
  else '{}' end`;

/**
 * 404 if the caller cannot see the item, 403 if it is locked or needs an enrollment. `asLearner` omits
 * staff-only parts for staff too.
 */
export async function getContentItem(
  db: ReadDb,
  actor: Actor | undefined,
  itemId: number,
  now: Date,
  asLearner = false,
): Promise<ContentItem> {
  const [row] = await selectItem(db, actor, itemId, itemAccessRefusalSql(contentItems.id, actor, now));
  if (!row) throw notFound("Content item");
  if (row.gate) throw accessRefusalError(row.gate);
  return itemOf(asLearner ? { ...row, seesAll: false } : row);
}

/** Undefined if the caller may not see the item. */
export async function findContentItem(
  db: Db,
  actor: Actor | undefined,
  itemId: number,
): Promise<ContentItem | undefined> {
  const [row] = await selectItem(db, actor, itemId, sql<null>`null`);
  return row && itemOf(row);
}

const selectItem = <G extends AccessRefusal | null>(
  db: ReadDb,
  actor: Actor | undefined,
  itemId: number,
  gate: SQL<G>,
) =>
  db
    .select({
      item: { ...columns, people_shown_in: offeringsWithNamesReleasedSql },
      content_type: contentTypeColumns,
      seesAll: staffOnlyContentReadCondition(actor),
      gate,
    })
    .from(contentItems)
    .innerJoin(contentTypes, eq(contentTypes.id, contentItems.content_type_id))
    .innerJoin(modules, eq(modules.id, contentItems.module_id))
    .innerJoin(courses, eq(courses.id, contentItems.course_id))
    .where(and(eq(contentItems.id, itemId), visibleContentItemCondition(actor)));

type Selected = Awaited<ReturnType<typeof selectItem>>[number];

const itemOf = ({ item, content_type, seesAll }: Selected): ContentItem =>
  contentItemForReader({ ...item, content_type }, seesAll);

export function contentItemForReader(
  { people_shown_in, ...item }: ContentItem,
  seesAll: boolean,
): ContentItem {
  if (!seesAll)
    return {
      ...item,
      tutor_line: null,
      data_json: dataJsonForStudents(item.content_type.name, item.data_json),
    };
  return people_shown_in?.length ? { ...item, people_shown_in } : item;
}
