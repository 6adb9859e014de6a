import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import * as z from "zod";
import { notACursor } from "../../../schema/api/cursor.ts";
import type { Pagination } from "../../../schema/api/fields.ts";
import { instantType, momentForm } from "../../../schema/db/columns.ts";
import { ValidationError } from "../../errors.ts";
import { ListPage } from "../../results/list-page.ts";
import { type PagedRows, wireColumns } from "./json-rows.ts";

/*
 * Where a page of a list begins and ends. A list states its order as keys that together tell its rows apart; a page is
 * what follows the values that the keys had in the last row before, which an index finds at any depth.
 */

/** PostgreSQL knows no year 0. */
const hasYear = (day: string): boolean => !day.startsWith("0000");

const storable = z.string().refine((text) => !text.includes("\0") && text.isWellFormed());

/** What a cursor may hold for a key of a type: it comes from outside, and the database must be able to read it. */
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

/** One of the expressions that a list is ordered by. Null stands last, or first where the order descends. */
export type Key = { of: SQLWrapper; type: KeyType; isDescending: boolean; isNullable: boolean };

/** An expression that is never null, as a key. */
export const keyOf = (of: SQLWrapper, type: KeyType): Key => ({
  of,
  type,
  isDescending: false,
  isNullable: false,
});

/** A column as a key. */
export const ascending = (column: PgColumn): Key => ({
  ...keyOf(column, typeOf(column)),
  isNullable: !column.notNull,
});

/** The same the other way round. */
export const descending = (key: PgColumn | Key): Key => {
  const { isDescending, ...others } = "isNullable" in key ? key : ascending(key);
  return { ...others, isDescending: !isDescending };
};

function typeOf(column: PgColumn): KeyType {
  const type = column.getSQLType().replace(/^varchar.*/, "text");
  if (!Object.hasOwn(valuesOf, type)) throw new Error(`No list can go on behind a value of type ${type}`);
  return type as KeyType;
}

/** What is asked for of a list in this order; 422 for a cursor that is not of it. */
export function pageOf({ skip, limit, after: cursor }: Pagination, keys: readonly Key[]) {
  const after = cursor && behind(keys, cursor.values);
  const order = sql.join(
    keys.map(({ of, isDescending }) => (isDescending ? sql`${of} desc` : sql`${of}`)),
    sql`, `,
  );
  /** The values of a row's keys, as a cursor has them. */
  const key = sql<string>`json_build_array(${sql.join(
    keys.map(({ of, type }) => (type === instantType ? momentForm(of) : sql`${of}`)),
    sql`, `,
  )})::text`;
  const where = (wanted?: SQL) => (wanted && after ? sql`(${wanted}) and ${after}` : (wanted ?? after));
  /** What stands behind `from`: the rows of the page among those that are wanted, and one more. */
  const tail = (wanted?: SQL): SQL => {
    const all = where(wanted);
    return sql`${all ? sql`where ${all}` : sql``} order by ${order} offset ${skip} limit ${limit + 1}`;
  };
  return {
    /** A row's key, for a selection, and for a raw statement. */
    key: key.as("page_key"),
    keyColumn: sql`${key} as page_key`,
    order,
    skip,
    /** One more than is asked for tells whether there is a further page. */
    limit: limit + 1,
    where,
    tail,
    /**
     * Rows of `table` that are wanted and meet one of these conditions: of each condition the first ones, as many as the
     * page needs. An index finds those, where all that meet any of them would have to be put in order. `from` is the table with
     * what it is joined with.
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
    /** The rows of `from` that are wanted, with these columns as they are answered. */
    rows: (columns: Record<string, PgColumn | SQL>, from: SQL, wanted?: SQL): PagedRows => ({
      rows: sql`select ${wireColumns(columns)}, ${key} as page_key from ${from} ${tail(wanted)}`,
      names: Object.keys(columns),
      limit,
    }),
    /** Rows that were read, as what is answered. */
    part: <Row extends { page_key: string }>(rows: readonly Row[]): ListPage<Omit<Row, "page_key">> => {
      const items = rows.slice(0, limit).map(({ page_key: _, ...item }) => item);
      return new ListPage(items, { next: rows.length > limit ? rows[limit - 1]?.page_key : undefined });
    },
  };
}

/** A row with its key, of a raw statement. */
export const Keyed = z.object({ page_key: z.string() });

/** Rows that stand behind these values. Where all keys go one way, in the form that an index reads at once. */
function behind(keys: readonly Key[], values: readonly unknown[]): SQL {
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

const isOf = ({ type, isNullable }: Key, value: unknown): boolean =>
  (isNullable && value === null) || valuesOf[type].safeParse(value).success;

/** The same from one of the keys on, which may go either way and be null. */
function behindFrom(
  keys: readonly Key[],
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

function past({ of, isDescending, isNullable }: Key, value: SQL, isNull: boolean): SQL {
  if (isDescending) return isNull ? sql`${of} is not null` : sql`${of} < ${value}`;
  if (isNull) return sql`false`;
  return isNullable ? sql`(${of} > ${value} or ${of} is null)` : sql`${of} > ${value}`;
}
