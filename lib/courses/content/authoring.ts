import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import type {
  ContentItem,
  ContentItemCreate,
  ContentItemUpdate,
} from "../../../schema/api/courses/content.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { badRequest, fieldValueMessagePlaceholders, forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensurePermission } from "../../identity/rbac/policy.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { versionedUpdateValues } from "../../platform/db/query/partial-update.ts";
import { rowsDecodedByColumns, typedSql } from "../../platform/db/query/rows.ts";
import {
  type ExpectedVersions,
  ensureVersion,
  expectedVersionCondition,
} from "../../platform/db/query/versions.ts";
import { ListPage } from "../../platform/results/list-page.ts";
import { visibleCourseCondition } from "../course-permissions.ts";
import { ensureCourseVersion } from "../courses.ts";
import {
  appendPositionSql,
  lockCourseForOutlineChangeSql,
  positionUpdateAfterMove,
  translateOutlineRefusal,
} from "../modules/outline-writes.ts";
import { ensureTypeChangeHidesStaffData, ensureValidDataJson, hasStaffOnlyData } from "./data-json.ts";
import { collectItemFileReferences, replaceItemFilesSql } from "./files-of-item.ts";
import {
  contentItemForReader,
  contentTypeColumns,
  findContentItem,
  offeringsWithNamesReleasedSql,
  staffOnlyContentReadCondition,
} from "./items.ts";
import { itemTextBytesSql, maxListBytes } from "./list.ts";
import { dataJsonIfReferencingSql, ensureNoUnusableReference, unusableReferenceSql } from "./references.ts";
import { itemDataWithScaledRubricSql } from "./scaled-rubric.ts";
import { visibleContentItemCondition } from "./visibility.ts";

/** 400 for an unknown course, module or type, 422 for data that does not fit the type. */
export async function createContentItem(
  db: Db,
  actor: Actor,
  input: ContentItemCreate,
): Promise<ContentItem> {
  const { university_id, content_type, missing } = await targetOf(db, actor, input);
  ensureValidDataJson(content_type.name, input.data_json);
  ensureNoUnusableReference(missing);
  const put = replaceItemFilesSql(collectItemFileReferences(content_type.name, input.data_json));
  const [row] = await translateOutlineRefusal(
    db
      .insert(contentItems)
      .values({ ...input, university_id, sequence_index: input.sequence_index ?? appendPositionSql })
      .returning({ ...getTableColumns(contentItems), put }),
  );
  if (!row) throw notFound("Content item");
  const { put: _, ...item } = row;
  return { ...item, content_type };
}

/** 400 if the course or type is missing, 403 without the right. */
async function targetOf(db: Db, actor: Actor, { course_id, content_type_id, data_json }: ContentItemCreate) {
  const { university_id, department_id } = courses;
  const missing = unusableReferenceSql(actor, dataJsonIfReferencingSql(data_json));
  const [target] = await db
    .select({
      course_id: courses.id,
      university_id,
      department_id,
      content_type: contentTypeColumns,
      missing,
    })
    .from(courses)
    .leftJoin(contentTypes, eq(contentTypes.id, content_type_id))
    .where(and(eq(courses.id, course_id), visibleCourseCondition(actor)));
  if (!target)
    throw badRequest("does_not_exist", fieldValueMessagePlaceholders("Content item", "course_id", course_id));
  ensurePermission(actor, "content:write", target);
  return { ...target, content_type: known(target.content_type, content_type_id) };
}

/**
 * Absent fields keep their values. Without a position the item goes last in a new module. 422 if the result
 * does not fit its type. 400 for a module of another course, a taken position, another type once it has
 * results, or points that `rescale` rejects. 403 for new `data_json` if the caller may not read the keys that
 * it would delete. 412 on a version conflict.
 */
export async function updateContentItem(
  db: Db,
  actor: Actor,
  itemId: number,
  input: ContentItemUpdate,
  now: Date,
  expected: ExpectedVersions,
): Promise<ContentItem> {
  const { rescale = null, ...change } = input;
  const before = await itemToWrite(db, actor, itemId, change);
  const { content_type, present, seen, sees_all } = before;
  const former_type = present.content_type.name;
  ensureVersion(seen, expected);
  if (change.data_json && !sees_all && hasStaffOnlyData(former_type, present.data_json))
    throw forbidden("keys_not_for_learners");
  if (change.tutor_line !== undefined && !sees_all) throw forbidden("not_for_learners_of_course");
  const dataJson = change.data_json ?? present.data_json;
  if (change.data_json || change.content_type_id) {
    ensureValidDataJson(content_type.name, dataJson);
    ensureNoUnusableReference(before.missing);
  }
  if (content_type.name !== former_type)
    ensureTypeChangeHidesStaffData({ former: former_type, next: content_type.name }, dataJson);
  const moved = positionUpdateAfterMove(contentItems.module_id, change.module_id, change.sequence_index);
  const fitted = sql`apply_item_grading_settings_change(content_items, ${present.content_type_id}, ${before.bound}::jsonb, ${rescale}::boolean,
    ${actor.id}, ${now.toISOString()}, ${requestAuditJson()}::jsonb)`;
  const scaled = change.data_json &&
    rescale && {
      data_json: itemDataWithScaledRubricSql(
        change.data_json,
        sql`${contentItems.data_json}`,
        content_type.name,
      ),
    };
  const put =
    change.data_json || change.content_type_id
      ? replaceItemFilesSql(collectItemFileReferences(content_type.name, dataJson))
      : sql<unknown>`null`;
  const [row] = await translateOutlineRefusal(
    db
      .update(contentItems)
      .set(versionedUpdateValues({ ...change, ...moved, ...scaled }, contentItems))
      .where(and(writableItem(actor, itemId), eq(contentItems.version, present.version)))
      .returning({
        ...getTableColumns(contentItems),
        fitted: typedSql(z.unknown())`${fitted}`,
        put,
        people_shown_in: offeringsWithNamesReleasedSql,
      }),
  );
  // Another request changed the item first: checks its current state again.
  if (!row) return updateContentItem(db, actor, itemId, input, now, expected);
  const { fitted: _, put: __, ...item } = row;
  return contentItemForReader({ ...item, content_type }, sees_all);
}

const formerType = alias(contentTypes, "former_type");

/** 404, 403, or 400 for an unknown type. */
async function itemToWrite(db: Db, actor: Actor, itemId: number, change: ContentItemUpdate) {
  const { content_type_id: newTypeId, data_json } = change;
  const typeId = newTypeId ?? contentItems.content_type_id;
  const { university_id, department_id } = courses;
  const [row] = await db
    .select({
      course_id: courses.id,
      university_id,
      department_id,
      item: getTableColumns(contentItems),
      content_type: contentTypeColumns,
      missing: unusableReferenceSql(
        actor,
        data_json ? dataJsonIfReferencingSql(data_json) : sql`${contentItems.data_json}`,
        sql`case ${contentTypes.name} when ${formerType.name} then ${contentItems.data_json} end`,
      ),
      former_type: { name: formerType.name, label: formerType.label },
      bound: typedSql(
        z.string(),
      )`((select score_bounds.bound from score_bounds where content_item_id = ${contentItems.id}) || jsonb_build_object(
        'late_percent_per_day', ${contentItems.data_json} -> 'late_percent_per_day',
        'anonymous', coalesce(${contentItems.data_json} -> 'anonymous' = 'true', false)))::text`,
      sees_all: staffOnlyContentReadCondition(actor),
    })
    .from(contentItems)
    .innerJoin(modules, eq(modules.id, contentItems.module_id))
    .innerJoin(courses, eq(courses.id, contentItems.course_id))
    .innerJoin(formerType, eq(formerType.id, contentItems.content_type_id))
    .leftJoin(contentTypes, eq(contentTypes.id, typeId))
    .where(and(eq(contentItems.id, itemId), visibleContentItemCondition(actor)));
  if (!row) throw notFound("Content item");
  ensurePermission(actor, "content:write", row);
  const present = { ...row.item, content_type: row.former_type };
  return {
    present,
    seen: contentItemForReader(present, row.sees_all),
    sees_all: row.sees_all,
    content_type: known(row.content_type, newTypeId),
    missing: row.missing,
    bound: row.bound,
  };
}

function known<T>(type: T | null, id: number | undefined): T {
  if (!type)
    throw badRequest("does_not_exist", fieldValueMessagePlaceholders("Content item", "content_type_id", id));
  return type;
}

/** 400 if anyone has worked on the item (it can be made inactive), 412 on a version conflict. */
export async function deleteContentItem(
  db: Db,
  actor: Actor,
  itemId: number,
  expected: ExpectedVersions,
): Promise<void> {
  const deleted = await translateOutlineRefusal(
    db
      .delete(contentItems)
      .where(and(writableItem(actor, itemId), expectedVersionCondition(contentItems.version, expected)))
      .returning({ id: contentItems.id }),
    "content_item_in_use",
  );
  if (deleted.length > 0) return;
  if (expected) ensureVersion((await itemToWrite(db, actor, itemId, {})).seen, expected);
  await explainRefusal(db, actor, itemId);
}

/**
 * Reorders a module's items from 1; others follow in their old order. Returns all, or the first page. 400
 * unless the ids are distinct items of one module, 412 if the course has another version, which covers the
 * order.
 */
export async function reorderContent(
  db: Db,
  actor: Actor,
  itemIds: readonly number[],
  expected: ExpectedVersions,
): Promise<ListPage<ContentItem>> {
  const [first = 0] = itemIds;
  const reordered = sql`reorder_content_items(${courseOf(actor, first, expected)}, ${sql.param(itemIds)}::int[])`;
  const items = await translateOutlineRefusal(
    rowsDecodedByColumns(
      db,
      {
        ...getTableColumns(contentItems),
        type_name: contentTypes.name,
        type_label: contentTypes.label,
        // Decoded as a boolean.
        sees_all: contentItems.is_active,
      },
      sql`
        select * from (
          select item.*, content_types.name as type_name, content_types.label as type_label, ${staffOnlyContentReadCondition(actor)} as sees_all,
                 sum(${itemTextBytesSql(sql`item`)}) over (order by item.sequence_index) - ${itemTextBytesSql(sql`item`)} as bytes_before
          from ${reordered} as item join content_types on content_types.id = item.content_type_id
          join courses on courses.id = item.course_id
        ) as listed
        where bytes_before < ${maxListBytes}
        order by sequence_index`,
    ),
  );
  if (items[0])
    return new ListPage(
      items.map(({ type_name: name, type_label: label, sees_all, ...item }) =>
        contentItemForReader({ ...item, content_type: { name, label } }, sees_all),
      ),
      { at: `/content/modules/${items[0].module_id}/content` },
    );
  await ensureCourseVersion(db, actor, "content:write", courseIdOf(first), expected);
  return explainRefusal(
    db,
    actor,
    first,
    badRequest("does_not_exist", fieldValueMessagePlaceholders("Content item", "content_ids", first)),
  );
}

const courseIdOf = (itemId: number): SQL => sql`(select course_id from content_items where id = ${itemId})`;

const courseOf = (actor: Actor, itemId: number, expected?: ExpectedVersions): SQL =>
  lockCourseForOutlineChangeSql(actor, "content:write", courseIdOf(itemId), expected);

/** Locks the item's course. */
const writableItem = (actor: Actor, itemId: number): SQL | undefined =>
  and(eq(contentItems.id, itemId), eq(contentItems.course_id, courseOf(actor, itemId)));

/** `unseen` if the caller cannot see the item, else 403. */
async function explainRefusal(
  db: Db,
  actor: Actor,
  itemId: number,
  unseen = notFound("Content item"),
): Promise<never> {
  throw (await findContentItem(db, actor, itemId)) ? forbidden() : unseen;
}
