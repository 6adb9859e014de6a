import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ToolCaller } from "./access-tokens.ts";
import { deployedOfferingQuery, lineItemOfDeployedToolCondition } from "./deployed-offering.ts";
import { itemIdOfResourceLink, lineItemUrl, nonexistentItemId, resourceLinkId } from "./tool-addresses.ts";

/** A line item of AGS 2.0. */
export type LineItem = {
  id: string;
  label: string;
  scoreMaximum: number;
  resourceLinkId?: string;
  resourceId?: string;
  tag?: string;
  startDateTime?: string;
  endDateTime?: string;
  submissionReview?: object;
};

const StoredReview = z.object({
  url: z.string().optional(),
  custom: z.record(z.string(), z.string()).optional(),
  reviewable_status: z.array(z.string()).optional(),
});

const Row = z.object({
  item_id: z.int().nullable(),
  title: z.string().nullable(),
  points: z.number().nullable(),
  resource_id: z.string().nullable(),
  tag: z.string().nullable(),
  is_own: z.boolean(),
  own_link: z.string().nullable(),
  review: StoredReview.nullable(),
  opens_at: z.string().nullable(),
  due_at: z.string().nullable(),
});

export type LineItemFilter = {
  item_id?: number;
  resource_link_id?: string | undefined;
  resource_id?: string | undefined;
  tag?: string | undefined;
  /** Items with a greater id. */
  after: number;
  limit: number;
};

const secondsText = (moment: SQL): SQL =>
  sql`to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** The tool's graded items, by id, with one more than `limit` if there are more. 404 unless it is deployed there. */
export async function listLineItems(
  db: ReadDb,
  caller: ToolCaller,
  offeringId: number,
  filter: LineItemFilter,
  service: string,
): Promise<{ items: LineItem[]; next: number | undefined }> {
  const {
    item_id = null,
    resource_link_id: link = null,
    resource_id = null,
    tag = null,
    after,
    limit,
  } = filter;
  const linked = link === null ? null : (itemIdOfResourceLink(offeringId, link) ?? nonexistentItemId);
  const rows = await rowsOf(
    db,
    Row,
    sql`
      with deployed as materialized (${deployedOfferingQuery(caller, offeringId)})
      select item.id as item_id, item.title, max_points_of_item('external_tool', item.data_json)::float8 as points,
             item.data_json ->> 'resource_id' as resource_id, item.data_json ->> 'tag' as tag,
             coalesce(item.data_json ? 'line_item', false) as is_own,
             item.data_json #>> '{line_item,resource_link_id}' as own_link,
             item.data_json -> 'submission_review' as review,
             ${secondsText(sql`dates.opens_at`)} as opens_at, ${secondsText(sql`dates.due_at`)} as due_at
      from deployed left join content_items as item on ${lineItemOfDeployedToolCondition}
        and item.id = coalesce(${item_id}::int, item.id) and item.id > ${after}
        and (${link}::text is null or case when item.data_json ? 'line_item'
          then item.data_json #>> '{line_item,resource_link_id}' = ${link}::text else item.id = ${linked}::int end)
        and (${resource_id}::text is null or item.data_json ->> 'resource_id' = ${resource_id}::text)
        and (${tag}::text is null or item.data_json ->> 'tag' = ${tag}::text)
      left join lateral effective_dates_of_items(deployed.offering_id, null, array[item.id]) as dates on item.id is not null
      order by item.id limit ${limit + 1}`,
  );
  if (rows.length === 0) throw notFound("Offering");
  const items = rows.flatMap((row) => toLineItem(row, offeringId, service));
  return {
    items: items.slice(0, limit),
    next: rows.length > limit ? (rows[limit - 1]?.item_id ?? undefined) : undefined,
  };
}

/** 404 for another tool's item, or an ungraded one. */
export async function getLineItem(
  db: ReadDb,
  caller: ToolCaller,
  path: { offering_id: number; content_item_id: number },
  service: string,
): Promise<LineItem> {
  const wanted = { item_id: path.content_item_id, after: 0, limit: 1 };
  const { items } = await listLineItems(db, caller, path.offering_id, wanted, service);
  const [item] = items;
  if (!item) throw notFound("Graded item");
  return item;
}

function toLineItem(row: z.output<typeof Row>, offeringId: number, service: string): LineItem[] {
  if (row.item_id === null) return [];
  const link = row.is_own ? row.own_link : resourceLinkId(offeringId, row.item_id);
  return [
    {
      id: lineItemUrl(service, offeringId, row.item_id),
      label: row.title ?? "",
      scoreMaximum: row.points ?? 0,
      ...(link !== null && { resourceLinkId: link }),
      ...(row.resource_id !== null && { resourceId: row.resource_id }),
      ...(row.tag !== null && { tag: row.tag }),
      ...(row.opens_at !== null && { startDateTime: row.opens_at }),
      ...(row.due_at !== null && { endDateTime: row.due_at }),
      ...(row.review && { submissionReview: toReview(row.review) }),
    },
  ];
}

const toReview = ({ reviewable_status, ...review }: z.output<typeof StoredReview>): object => ({
  ...review,
  ...(reviewable_status && { reviewableStatus: reviewable_status }),
});
