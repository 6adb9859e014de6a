import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Instant } from "../../../schema/api/platform/fields.ts";
import { conflict, forbidden, invalidField, notFound } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { retryWhileBusy } from "../../platform/db/retry-window.ts";
import type { ToolCaller } from "./access-tokens.ts";
import {
  deployedOfferingQuery,
  lineItemOfDeployedToolCondition,
  resourceLinkOfDeployedToolCondition,
} from "./deployed-offering.ts";
import { getLineItem, type LineItem } from "./line-items.ts";
import type { LineItemPath } from "./scores.ts";
import { SubmissionReview, toStoredSubmissionReview } from "./submission-review.ts";
import { itemIdOfResourceLink, lineItemUrl, nonexistentItemId } from "./tool-addresses.ts";

/*
 * Line items that a tool creates are external tool items with points and `line_item.offering_id`, in an unpublished
 * module of the tool. They are columns of one offering's gradebook, and no content.
 */

/** Columns that one tool may create in an offering. */
export const maxToolLineItemsPerOffering = 200;

/** A line item of AGS 2.0; other fields are ignored. */
export const LineItemInput = z
  .object({
    label: z.string().trim().min(1).max(255),
    scoreMaximum: z.number().min(0.01).max(9999.99),
    resourceLinkId: z.string().max(255).nullish(),
    resourceId: z.string().max(255).nullish(),
    tag: z.string().max(255).nullish(),
    startDateTime: Instant.nullish(),
    endDateTime: Instant.nullish(),
    submissionReview: SubmissionReview.nullish(),
  })
  .refine(({ startDateTime, endDateTime }) => !startDateTime || !endDateTime || startDateTime < endDateTime, {
    path: ["endDateTime"],
    message: "Input should be after startDateTime",
  });
export type LineItemInput = z.output<typeof LineItemInput>;

const isCreatedByTool = sql`${lineItemOfDeployedToolCondition} and item.data_json ? 'line_item'`;

const Created = z.object({
  has_link: z.boolean(),
  is_full: z.boolean(),
  item_id: z.int().nullable(),
});

/**
 * Adds a column to the offering's gradebook. 404 unless the tool is deployed there and the resource link is an item of
 * it, 409 for too many columns.
 */
export async function createLineItem(
  db: Db,
  caller: ToolCaller,
  offeringId: number,
  input: LineItemInput,
  service: string,
): Promise<LineItem> {
  const link = input.resourceLinkId ?? null;
  const linked = link === null ? null : (itemIdOfResourceLink(offeringId, link) ?? nonexistentItemId);
  const data = sql`${itemData(input)}::jsonb || jsonb_build_object('lti_tool_id', deployed.tool_id, 'line_item',
    jsonb_strip_nulls(jsonb_build_object('offering_id', deployed.offering_id, 'resource_link_id', ${link}::text)))`;
  const statement = sql`
    with deployed as materialized (${deployedOfferingQuery(caller, offeringId)}),
    target as materialized (
      select deployed.*, ${resourceLinkOfDeployedToolCondition(linked)} as has_link,
             (select count(*) from content_items as item where ${isCreatedByTool}) >= ${maxToolLineItemsPerOffering} as is_full
      from deployed
    ), former as materialized (
      select item.module_id from target join content_items as item
        on item.course_id = target.course_id and item.data_json ? 'line_item'
          and json_number(item.data_json -> 'lti_tool_id') = target.tool_id
      join modules as module on module.id = item.module_id and not module.is_published
      order by item.id limit 1
    ), added_module as (
      insert into modules (course_id, module_type, title, sequence_index)
      select target.course_id, 'section', target.tool_name, null from target
      where target.has_link and not target.is_full and not exists (select from former)
      returning id
    ), added as (
      insert into content_items (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json,
                                 available_from, due_at)
      select home.id, deployed.course_id, deployed.university_id,
             (select id from content_types where name = 'external_tool'), ${input.label}, null, ${data},
             ${input.startDateTime ?? null}::timestamptz, ${input.endDateTime ?? null}::timestamptz
      from target as deployed
      cross join (select module_id as id from former union all select id from added_module) as home
      where deployed.has_link and not deployed.is_full
      returning id
    )
    select target.has_link, target.is_full, added.id as item_id from target left join added on true`;
  const [row] = await retryWhileBusy(() =>
    db.transaction(async (tx) => {
      // Line items of a course are created one after another. A statement of its own: the next one must see the
      // module and the columns that it waited for.
      await tx.execute(sql`
        with deployed as materialized (${deployedOfferingQuery(caller, offeringId)})
        select from courses as course join deployed on deployed.course_id = course.id for no key update of course`);
      return rowsOf(tx, Created, statement);
    }),
  );
  if (!row) throw notFound("Offering");
  if (!row.has_link) throw notFound("Content item");
  if (row.is_full || row.item_id === null) throw conflict("lti_too_many_line_items");
  return toCreated(row.item_id, offeringId, input, service);
}

const itemData = ({ scoreMaximum, resourceId, tag, submissionReview }: LineItemInput): string =>
  JSON.stringify({
    max_points: scoreMaximum,
    ...toStoredSubmissionReview(submissionReview),
    ...(resourceId && { resource_id: resourceId }),
    ...(tag && { tag }),
  });

function toCreated(itemId: number, offeringId: number, input: LineItemInput, service: string): LineItem {
  const {
    label,
    scoreMaximum,
    resourceLinkId,
    resourceId,
    tag,
    startDateTime,
    endDateTime,
    submissionReview,
  } = input;
  return {
    ...{ id: lineItemUrl(service, offeringId, itemId), label, scoreMaximum },
    ...(resourceLinkId && { resourceLinkId }),
    ...(resourceId && { resourceId }),
    ...(tag && { tag }),
    ...(startDateTime && { startDateTime: toSeconds(startDateTime) }),
    ...(endDateTime && { endDateTime: toSeconds(endDateTime) }),
    ...(submissionReview && { submissionReview }),
  };
}

const toSeconds = (moment: string): string => moment.replace(/\.\d+Z$/, "Z");

const Written = z.object({
  item_id: z.int().nullable(),
  is_own: z.boolean(),
  own_link: z.string().nullable(),
  is_written: z.boolean(),
});

/**
 * Replaces the fields of a line item that the tool created. Scores scale with the maximum. 403 for a teacher's item,
 * 422 for another resource link.
 */
export async function updateLineItem(
  parts: { db: Db; now: () => Date },
  caller: ToolCaller,
  path: LineItemPath,
  input: LineItemInput,
  service: string,
): Promise<LineItem> {
  const { db } = parts;
  const change = sql`
    update content_items as item
    set title = ${input.label}, data_json = item.data_json - '{resource_id,tag,submission_review}'::text[] || ${itemData(input)}::jsonb,
        available_from = ${input.startDateTime ?? null}::timestamptz, due_at = ${input.endDateTime ?? null}::timestamptz,
        version = item.version + 1, updated_at = service_now()
    from before where item.id = before.item_id and item.version = before.version and before.is_own
      and coalesce(before.own_link, '') = coalesce(${input.resourceLinkId ?? null}::text, before.own_link, '')
    returning item.id, apply_item_grading_settings_change(item, item.content_type_id, before.bound, true, null,
      ${parts.now().toISOString()}, ${requestAuditJson()}::jsonb)`;
  const row = await writeLineItem(db, caller, path, change);
  const link = input.resourceLinkId ?? row.own_link;
  if (link !== row.own_link)
    throw invalidField(["resourceLinkId"], "Input should be the resource link of the line item");
  // Another request changed the item first.
  if (!row.is_written) return updateLineItem(parts, caller, path, input, service);
  return getLineItem(db, caller, path, service);
}

/**
 * Removes a line item that the tool created from gradebook and line items. Its grades stay stored, and teachers can
 * publish it again. 403 for a teacher's item.
 */
export async function deleteLineItem(db: Db, caller: ToolCaller, path: LineItemPath): Promise<void> {
  const change = sql`
    update content_items as item set is_active = false, version = item.version + 1, updated_at = service_now()
    from before where item.id = before.item_id and before.is_own returning item.id`;
  await writeLineItem(db, caller, path, change);
}

/** `change` reads the row `before`. Locks the course before the item, as all changes of an outline do. */
async function writeLineItem(db: Db, caller: ToolCaller, path: LineItemPath, change: SQL) {
  const statement = sql`
    with deployed as materialized (${deployedOfferingQuery(caller, path.offering_id)}),
    locked as materialized (
      select course.id from courses as course join deployed on deployed.course_id = course.id for no key update of course
    ), before as materialized (
      select item.id as item_id, item.version, coalesce(item.data_json ? 'line_item', false) as is_own,
             item.data_json #>> '{line_item,resource_link_id}' as own_link,
             limits.bound || jsonb_build_object('late_percent_per_day', item.data_json -> 'late_percent_per_day',
               'anonymous', coalesce(item.data_json -> 'anonymous' = 'true', false)) as bound
      from deployed cross join locked
      left join content_items as item on ${lineItemOfDeployedToolCondition} and item.id = ${path.content_item_id}
      left join score_bounds as limits on limits.content_item_id = item.id
    ), changed as (${change})
    select before.item_id, before.is_own, before.own_link, exists (select from changed) as is_written from before`;
  const [row] = await retryWhileBusy(() => rowsOf(db, Written, statement));
  if (!row) throw notFound("Offering");
  if (row.item_id === null) throw notFound("Graded item");
  if (!row.is_own) throw forbidden("lti_line_item_of_teacher");
  return row;
}
