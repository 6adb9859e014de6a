import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import * as z from "zod";
import { notACursor } from "../../../../schema/api/platform/cursor.ts";
import type { Pagination } from "../../../../schema/api/platform/fields.ts";
import { instantType, momentForm } from "../../../../schema/db/platform/columns.ts";
import { ValidationError } from "../../../errors.ts";
import { ListPage } from "../../results/list-page.ts";
import { builtOnce } from "./built-once.ts";
import { type PagedRowsQuery, wireColumnsSql } from "./json-rows.ts";

/* Keyset pagination by keys that are unique per row. An index finds a page's start at any depth. */

/** PostgreSQL has no year 0. */
const hasYear = (day: string): boolean => !day.startsWith("0000");

const storable = z.string().refine((text) => !text.includes("\0") && text.isWellFormed());

/** Cursors come from clients, and the database must be able to read their values. */
const valuesOf = {
  integer: z.int32(),
  bigint: z.int(),
  "double precision": z.number(),
  boolean: z.boolean(),
  date: z.iso.date().refine(hasYear),
  [instantType]: z.iso.datetime().refine(hasYear),
  text: storable,
} satisfies Record<string, z.ZodType>;

type KeyType = keyof typeof valuesOf;

/** Nulls come last, or first if descending. */
export type SortKey = { of: SQLWrapper; type: KeyType; isDescending: boolean; isNullable: boolean };

export const createSortKey = (of: SQLWrapper, type: KeyType): SortKey => ({
  of,
  type,
  isDescending: false,
  isNullable: false,
});

export const ascending = (column: PgColumn): SortKey => ({
  ...createSortKey(column, typeOf(column)),
  isNullable: !column.notNull,
});

export const descending = (key: PgColumn | SortKey): SortKey => {
  const { isDescending, ...others } = "isNullable" in key ? key : ascending(key);
  return { ...others, isDescending: !isDescending };
};

function typeOf(column: PgColumn): KeyType {
  const type = column.getSQLType().replace(/^varchar.*/, "text");
  if (!Object.hasOwn(valuesOf, type)) throw new Error(`No cursor can hold a value of type ${type}`);
  return type as KeyType;
}

const orderOf = builtOnce((keys: readonly SortKey[]) =>
  sql.join(
    keys.map(({ of, isDescending }) => (isDescending ? sql`${of} desc` : sql`${of}`)),
    sql`, `,
  ),
);

const pageKeyOf = builtOnce((keys: readonly SortKey[]) => {
  const values = keys.map(({ of, type }) => (type === instantType ? momentForm(of) : sql`${of}`));
  return sql`json_build_array(${sql.join(values, sql`, `)})::text`;
});

/** Throws 422 if the cursor belongs to another order. */
export function createPageQuery({ skip, limit, after: cursor }: Pagination, keys: readonly SortKey[]) {
  const after = cursor && behind(keys, cursor.values);
  const order = orderOf(keys);
  const key = pageKeyOf(keys) as SQL<string>;
  const where = (wanted?: SQL) => (wanted && after ? sql`(${wanted}) and ${after}` : (wanted ?? after));
  const tail = (wanted?: SQL): SQL => {
    const all = where(wanted);
    return sql`${all ? sql`where ${all}` : sql``} order by ${order} offset ${skip} limit ${limit + 1}`;
  };
  return {
    key: key.as("page_key"),
    keyColumn: sql`${key} as page_key`,
    order,
    skip,
    /** One extra row shows whether there is a next page. */
    limit: limit + 1,
    where,
    tail,
    /**
     * Rows of `table` that meet any condition, by one query each: an index finds a page's first rows; one
     * combined condition would sort all matches. `from` has the joins.
     */
    whereAny: (
      table: PgTable & { id: PgColumn },
      conditions: readonly SQL[],
      wanted?: SQL,
      from: SQL = sql`${table}`,
    ) => {
      if (conditions.length === 1) return where(and(conditions[0], wanted));
      const first = conditions.map(
        (condition) => sql`
          (select ${table.id} from ${from} where ${where(and(condition, wanted))}
           order by ${order} limit ${skip + limit + 1})`,
      );
      return first.length > 0 ? sql`${table.id} in (${sql.join(first, sql` union all `)})` : sql`false`;
    },
    /** Rows of `from` with these columns in wire form. */
    rows: (columns: Record<string, PgColumn | SQL>, from: SQL, wanted?: SQL): PagedRowsQuery => ({
      rows: sql`select ${wireColumnsSql(columns)}, ${key} as page_key from ${from} ${tail(wanted)}`,
      names: Object.keys(columns),
      limit,
    }),
    part: <Row extends { page_key: string }>(rows: readonly Row[]): ListPage<Omit<Row, "page_key">> => {
      const items = rows.slice(0, limit).map(({ page_key: _, ...item }) => item);
      return new ListPage(items, { next: rows.length > limit ? rows[limit - 1]?.page_key : undefined });
    },
  };
}

export const RowWithPageKey = z.object({ page_key: z.string() });

/** A row comparison if all keys have one direction: an index serves it directly. */
function behind(keys: readonly SortKey[], values: readonly unknown[]): SQL {
  if (values.length !== keys.length || !keys.every((key, at) => isOf(key, values[at])))
    throw new ValidationError([{ loc: ["query", "after"], msg: notACursor, type: "value_error" }]);
  const written = keys.map(({ type }, at) => sql`${values[at]}::${sql.raw(type)}`);
  const [first] = keys;
  if (keys.every((key) => !key.isNullable && key.isDescending === first?.isDescending)) {
    const row = (parts: readonly SQLWrapper[]) =>
      sql.join(
        parts.map((part) => sql`${part}`),
        sql`, `,
      );
    const sign = sql.raw(first?.isDescending ? "<" : ">");
    return sql`(${row(keys.map(({ of }) => of))}) ${sign} (${row(written)})`;
  }
  return behindFrom(keys, values, written, 0);
}

const isOf = ({ type, isNullable }: SortKey, value: unknown): boolean =>
  (isNullable && value === null) || valuesOf[type].safeParse(value).success;

/** Directions may be mixed and values null. */
function behindFrom(
  keys: readonly SortKey[],
  values: readonly unknown[],
  written: readonly SQL[],
  at: number,
): SQL {
  const key = keys[at];
  const value = written[at];
  if (!key || !value) return sql`false`;
  const isNull = values[at] === null;
  const same = isNull ? sql`${key.of} is null` : sql`${key.of} = ${value}`;
  return sql`(${past(key, value, isNull)} or (${same} and ${behindFrom(keys, values, written, at + 1)}))`;
}

function past({ of, isDescending, isNullable }: SortKey, value: SQL, isNull: boolean): SQL {
  if (isDescending) return isNull ? sql`${of} is not null` : sql`${of} < ${value}`;
  if (isNull) return sql`false`;
  return isNullable ? sql`(${of} > ${value} or ${of} is null)` : sql`${of} > ${value}`;
}
