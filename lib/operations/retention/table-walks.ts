import { type SQL, sql } from "drizzle-orm";
import type { RetentionKind } from "../../../schema/enums.ts";

/*
 * A table to process for a kind, in a resumable order. Columns: `container`, `row_id`, `person`, `other` (a
 * second person), `offering`, `course` (0 if none), `moment`, and `facts` for the archive: ids, times, kinds
 * and amounts, without user text.
 */

/** The position to resume at (container and row), and limits of rows and containers. */
export type ScanPositionAndLimits = { container: number; row: number; rows: number; containers: number };

export type ScanRange = ScanPositionAndLimits | { ids: readonly number[] };

export type RetentionTable = {
  name: string;
  kind: RetentionKind;
  table: string;
  /** Deletes through a function with its owner's rights, without locking rows first. */
  isLog?: true;
  /** Rows from before a date that still have data. */
  rows: (university: number, before: SQL, looked: ScanRange) => SQL;
  /** The next containers, as `id`. Absent: the table has a single order. */
  containers?: (university: number, before: SQL, behind: ScanPositionAndLimits) => SQL;
  /** Each statement takes ids of rows to delete. */
  forget: (ids: SQL, university: number, before: SQL) => SQL[];
};

export const bigintArraySql = (ids: readonly number[]): SQL => sql`${sql.param(ids)}::bigint[]`;

type Columns = { person: SQL; other?: SQL; offering?: SQL; course?: SQL; moment: SQL; facts: SQL };

export const walkColumnsSql = ({ person, other, offering, course, moment, facts }: Columns): SQL => sql`
  coalesce(${person}, 0) as person, coalesce(${other ?? sql`0`}, 0) as other, coalesce(${offering ?? sql`0`}, 0) as offering,
  coalesce(${course ?? sql`0`}, 0) as course, ${moment} as moment, ${facts} as facts`;

type InOrder = Columns & { from: SQL; table: string; university: SQL; isLeft?: SQL };

/** A table with a university column and an index on it and the date. */
export function dateScanQueryBuilder({
  from,
  table,
  university: of,
  isLeft = sql`true`,
  ...columns
}: InOrder): RetentionTable["rows"] {
  const id = sql`${sql.identifier(table)}.id`;
  const milliseconds = sql`(extract(epoch from ${columns.moment}) * 1000)::bigint`;
  return (university, before, looked) => {
    const which =
      "ids" in looked
        ? sql`${id} = any (${bigintArraySql(looked.ids)})`
        : sql`(${columns.moment}, ${id}) > (to_timestamp(${looked.container} / 1000.0::float8), ${looked.row})`;
    return sql`
      select ${milliseconds} as container, ${id} as row_id, ${walkColumnsSql(columns)}
      from ${from} where ${of} = ${university} and ${columns.moment} < ${before} and ${isLeft} and ${which}
      ${"ids" in looked ? sql`` : sql`order by ${columns.moment}, ${id} limit ${looked.rows}`}`;
  };
}

export type ContainedTable = Omit<Columns, "offering"> & {
  table: string;
  within: SQL;
  from?: SQL;
  isLeft?: SQL;
};

/** Rows belong to containers of the university. `holder` selects them as `id` and `course_id`. */
function inContainers(
  holders: SQL,
  nextHolders: NonNullable<RetentionTable["containers"]>,
  {
    table,
    within,
    from = sql`${sql.identifier(table)}`,
    isLeft = sql`true`,
    ...columns
  }: ContainedTable & Columns,
): Pick<RetentionTable, "rows" | "containers"> {
  const id = sql`${sql.identifier(table)}.id`;
  const told = walkColumnsSql(columns);
  const wanted = (before: SQL) => sql`${columns.moment} < ${before} and ${isLeft}`;
  return {
    containers: nextHolders,
    rows: (university, before, looked) =>
      "ids" in looked
        ? sql`
          select holder.id as container, ${id} as row_id, ${told}
          from ${from} join ${holders} as holder on holder.id = ${within}
          where holder.university_id = ${university} and ${id} = any (${bigintArraySql(looked.ids)}) and ${wanted(before)}`
        : sql`
          select holder.id as container, one.* from (${nextHolders(university, before, looked)}) as holder
          cross join lateral (
            select ${id} as row_id, ${told} from ${from}
            where ${within} = holder.id and (holder.id > ${looked.container} or ${id} > ${looked.row}) and ${wanted(before)}
            order by ${id} limit ${looked.rows}
          ) as one
          order by container, row_id limit ${looked.rows}`,
  };
}

/** Offerings that ended before the date or have no end. */
export const offeringScanQueryBuilders = (columns: Omit<ContainedTable, "within" | "course">) =>
  inContainers(
    sql`course_offerings`,
    (university, before, { container, containers }) => sql`
      select id, course_id, university_id from course_offerings
      where university_id = ${university} and id >= ${container} and coalesce((
        select ends_at from offering_ends where course_offering_id = course_offerings.id) < ${before}, true)
      order by id limit ${containers}`,
    {
      ...columns,
      within: sql`${sql.identifier(columns.table)}.course_offering_id`,
      offering: sql`${sql.identifier(columns.table)}.course_offering_id`,
    },
  );

export const itemScanQueryBuilders = (columns: Omit<ContainedTable & Columns, "course">) =>
  inContainers(
    sql`content_items`,
    (university, _, { container, containers }) => sql`
      select id, course_id, university_id from content_items where university_id = ${university} and id >= ${container}
      order by id limit ${containers}`,
    { ...columns, course: sql`holder.course_id` },
  );
