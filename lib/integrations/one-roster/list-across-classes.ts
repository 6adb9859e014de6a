import { sql } from "drizzle-orm";
import * as z from "zod";
import type { OneRosterQuery } from "../../../schema/api/integrations/one-roster.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { type ClassCollection, numbersInSourcedId } from "./class-collection.ts";
import type { ServiceUrlsAndUniversity } from "./collection.ts";
import { classFilterCondition, oneRosterFilterCondition, parseOneRosterFilter } from "./filter.ts";
import { OneRosterError } from "./protocol.ts";
import { columnsOf, fieldSelection, type ResourcePage } from "./read-resources.ts";

const Page = z.object({ items: z.array(z.object({ sourced_id: z.string() }).loose()) });

const noNames: ReadonlySet<string> = new Set();

/**
 * A page of a whole university's gradebook, class by class. The database reads classes in order until the page is full: a
 * page never computes the grades of all classes, and so has no total. Throws 400 for a sort, and for a filter that does
 * not tell which classes may match.
 */
export async function listAcrossClasses(
  db: ReadDb,
  collection: ClassCollection,
  { limit, offset, sort, filter, fields, after }: OneRosterQuery,
  service: ServiceUrlsAndUniversity,
): Promise<ResourcePage> {
  if (sort !== undefined)
    throw new OneRosterError(400, "invalid_sort_field", "Only the list of a class can be sorted");
  const parsed = parseOneRosterFilter(filter);
  const project = fieldSelection(collection, fields);
  const { university } = service;
  const [afterClass, afterId, afterPart] = positionOf(collection, after);
  // Sorted first, so that the join keeps the order and ends with the page.
  const classes = sql`(
    select run.* from course_offerings as run
    where run.university_id = ${university} and run.id >= ${afterClass}::bigint and ${collection.mayHaveRows}
      and ${classFilterCondition(parsed, collection.filters)}
    order by run.id
  ) as run`;
  const [page] = await rowsOf(
    db,
    Page,
    sql`
      with page as materialized (
        select one.* from (${collection.select(classes, noNames)}) as one
        where (one.class_id, one.id, one.part) > (${afterClass}::bigint, ${afterId}::bigint, ${afterPart}::bigint)
          and ${oneRosterFilterCondition(parsed, collection.filters, university)}
        order by one.class_id, one.id, one.part limit ${limit + 1} offset ${offset}
      ), line as (select one.id, one.part, ${columnsOf(collection)})
      select coalesce(json_agg(line order by line.class_id, line.id, line.part), '[]') as items from line`,
  );
  const rows = page?.items ?? [];
  const shown = rows.slice(0, limit);
  return {
    many: collection.many,
    items: shown.map((row) => project(collection.toResource(row as never, service))),
    last: rows.length > limit ? shown.at(-1)?.sourced_id : undefined,
  };
}

/** Class, id and part of the last resource before the page; zeros on the first page. */
function positionOf({ one }: ClassCollection, after: string | undefined): [number, number, number] {
  if (after === undefined) return [0, 0, 0];
  const [offering, ...rest] = numbersInSourcedId(one, after) ?? [];
  if (offering === undefined || rest.length > 2)
    throw new OneRosterError(400, "invalid_filter_field", `after must be the sourcedId of a ${one}`);
  const [id = 0, part = 0] = rest.reverse();
  return [offering, id, part];
}
