import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { OneRosterQuery } from "../../../schema/api/integrations/one-roster.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { CollectionDefinition, Resource, ServiceUrlsAndUniversity } from "./collection.ts";
import { oneRosterFilterCondition, parseOneRosterFilter } from "./filter.ts";
import { OneRosterError, unknownObjectError } from "./protocol.ts";

/** Rows of a collection that satisfy `condition`, if all of `parents` exist. */
export type FilteredCollection = {
  collection: CollectionDefinition;
  condition?: SQL;
  parents?: readonly SQL[];
};

export type ResourcePage = { many: string; items: object[]; total: number };

const Page = z.object({ are_there: z.boolean(), total: z.int(), items: z.array(z.unknown()) });

/** Without a filter on either, only active resources: deleted ones are for clients that read changes. */
const namesDeleted = new Set(["status", "dateLastModified"]);

const fieldsOfAll = ["sourcedId", "status", "dateLastModified"];

/** Throws 400 for an invalid filter, sort or selection, 404 for an unknown parent. */
export async function listResources(
  db: ReadDb,
  { collection, condition = sql`true`, parents = [] }: FilteredCollection,
  { limit, offset, sort, orderBy, filter, fields }: OneRosterQuery,
  service: ServiceUrlsAndUniversity,
): Promise<ResourcePage> {
  const parsed = parseOneRosterFilter(filter);
  const isWhole = parsed.predicates.some(({ field }) => namesDeleted.has(field));
  const wanted = sql`${condition} and ${oneRosterFilterCondition(parsed, collection.filters)}
    ${isWhole ? sql`` : sql`and one.is_active`}`;
  const project = fieldSelection(collection, fields);
  const key = sort === undefined ? sql`one.id` : sortKey(collection, sort);
  const order = sql`${key} ${sql.raw(orderBy)}, one.id, one.sourced_id`;
  const source = sql`(${collection.source(service.university)}) as one`;
  const [page] = await rowsOf(
    db,
    Page,
    sql`
      with found as materialized (
        select one.* from ${source} where ${wanted}
      ), page as materialized (
        select one.*, row_number() over (order by ${order}) as place from found as one
        order by place limit ${limit} offset ${offset}
      ), line as (
        select one.place, one.sourced_id, one.is_active, ${momentForm(sql`one.changed_at`)} as modified, ${collection.lookups}
        from page as one
      )
      select ${areThere(parents)} as are_there, (select count(*) from found)::int as total,
             (select coalesce(json_agg(line order by line.place), '[]') from line) as items`,
  );
  if (!page?.are_there) throw unknownObjectError();
  const items = page.items.map((row) => project(collection.toResource(row as never, service)));
  return { many: collection.many, items, total: page.total };
}

const Found = z.object({ line: z.unknown() });

/** Deleted ones too. Throws 404 if the university has none. */
export async function getResource(
  db: ReadDb,
  { collection, condition = sql`true` }: FilteredCollection,
  sourcedId: string,
  fields: string | undefined,
  service: ServiceUrlsAndUniversity,
): Promise<Record<string, object>> {
  const project = fieldSelection(collection, fields);
  const matches = collection.matches(sourcedId);
  if (!matches) throw unknownObjectError();
  const [found] = await rowsOf(
    db,
    Found,
    sql`
      select to_json(line) as line from (
        select one.sourced_id, one.is_active, ${momentForm(sql`one.changed_at`)} as modified, ${collection.lookups}
        from (${collection.source(service.university)}) as one where ${matches} and ${condition}
      ) as line`,
  );
  if (!found) throw unknownObjectError();
  return { [collection.one]: project(collection.toResource(found.line as never, service)) };
}

export const resourceExistsCondition = (
  { source, matches }: CollectionDefinition,
  sourcedId: string,
  university: number,
  condition = sql`true`,
): SQL => {
  const found = matches(sourcedId);
  return found
    ? sql`exists (select from (${source(university)}) as one where ${found} and ${condition})`
    : sql`false`;
};

const areThere = (parents: readonly SQL[]): SQL =>
  parents.length === 0 ? sql`true` : sql`(${sql.join([...parents], sql` and `)})`;

function sortKey({ filters }: CollectionDefinition, sort: string): SQL {
  const field = Object.hasOwn(filters, sort) ? filters[sort] : undefined;
  if (!field || field.list)
    throw new OneRosterError(400, "invalid_sort_field", `Resources cannot be sorted by ${sort.slice(0, 64)}`);
  return field.value;
}

function fieldSelection(
  { names }: CollectionDefinition,
  fields: string | undefined,
): (resource: Resource) => object {
  if (fields === undefined) return (resource) => resource;
  const wanted = fields.split(",").map((name) => name.trim());
  const unknown = wanted.find((name) => !names.includes(name) && !fieldsOfAll.includes(name));
  if (unknown !== undefined)
    throw new OneRosterError(
      400,
      "invalid_selection_field",
      `${unknown.slice(0, 64) || "An empty name"} is not a field of this resource`,
    );
  return (resource) => Object.fromEntries(Object.entries(resource).filter(([name]) => wanted.includes(name)));
}
