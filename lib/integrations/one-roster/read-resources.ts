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

/** With the number of resources, or the last one if more follow. */
export type ResourcePage = {
  many: string;
  items: object[];
  total?: number;
  last?: string | undefined;
};

const Page = z.object({ are_there: z.boolean(), total: z.int(), items: z.array(z.unknown()) });

/** Without a filter on either, only active resources: deleted ones are for clients that read changes. */
const namesDeleted = new Set(["status", "dateLastModified"]);

const fieldsOfAll = ["sourcedId", "status", "dateLastModified"];

/**
 * Throws 400 for an invalid filter, sort or selection, 404 for an unknown parent. Counts without columns that no condition
 * needs, and without sorting.
 */
export async function listResources(
  db: ReadDb,
  { collection, condition = sql`true`, parents = [] }: FilteredCollection,
  { limit, offset, sort, orderBy, filter, fields, after }: OneRosterQuery,
  service: ServiceUrlsAndUniversity,
): Promise<ResourcePage> {
  if (after !== undefined)
    throw new OneRosterError(400, "invalid_filter_field", "This list is read by offset instead of after");
  const parsed = parseOneRosterFilter(filter);
  const names = parsed.predicates.map(({ field }) => field);
  const wanted = sql`${condition} and ${oneRosterFilterCondition(parsed, collection.filters, service.university)}
    ${names.some((name) => namesDeleted.has(name)) ? sql`` : sql`and one.is_active`}`;
  const project = fieldSelection(collection, fields);
  const key = sort === undefined ? sql`one.id` : sortKey(collection, sort);
  const order = sql`sort_key ${sql.raw(orderBy)}, id, sourced_id`;
  const named = new Set(sort === undefined ? names : [...names, sort]);
  const source = sql`(${collection.source(service.university, named)}) as one`;
  const [page] = await rowsOf(
    db,
    Page,
    sql`
      with page as materialized (
        select one.*, ${key} as sort_key from ${source} where ${wanted} order by ${order} limit ${limit} offset ${offset}
      ), line as (select one.sort_key, one.id, ${columnsOf(collection)})
      select ${areThere(parents)} as are_there, (select count(*) from ${source} where ${wanted})::int as total,
             (select coalesce(json_agg(line order by ${order}), '[]') from line) as items`,
  );
  if (!page?.are_there) throw unknownObjectError();
  const items = page.items.map((row) => project(collection.toResource(row as never, service)));
  return { many: collection.many, items, total: page.total };
}

/** Columns of the rows of `page`. */
export const columnsOf = ({
  lookups,
  joins = sql``,
}: Pick<CollectionDefinition, "lookups" | "joins">): SQL => sql`
  one.sourced_id, one.is_active, ${momentForm(sql`one.changed_at`)} as modified, ${lookups} from page as one ${joins}`;

const Found = z.object({ line: z.unknown() });

const noNames: ReadonlySet<string> = new Set();

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
      with page as materialized (
        select one.* from (${collection.source(service.university, noNames)}) as one where ${matches} and ${condition}
      ), line as (select ${columnsOf(collection)})
      select to_json(line) as line from line`,
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
    ? sql`exists (select from (${source(university, noNames)}) as one where ${found} and ${condition})`
    : sql`false`;
};

const areThere = (parents: readonly SQL[]): SQL =>
  parents.length === 0 ? sql`true` : sql`(${sql.join([...parents], sql` and `)})`;

function sortKey({ filters }: CollectionDefinition, sort: string): SQL {
  const field = Object.hasOwn(filters, sort) ? filters[sort] : undefined;
  if (!field || field.some)
    throw new OneRosterError(400, "invalid_sort_field", `Resources cannot be sorted by ${sort.slice(0, 64)}`);
  return field.value;
}

export function fieldSelection(
  { names }: Pick<CollectionDefinition, "names">,
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
