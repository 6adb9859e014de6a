import {
  and,
  eq,
  getTableColumns,
  type InferInsertModel,
  type InferSelectModel,
  type SQL,
} from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import type { ResourceName } from "../../error-codes.ts";
import { notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import {
  containsAllWordsCondition,
  type SearchAndSort,
  sortKeysForParameter,
} from "../../platform/db/query/search-and-sort.ts";
import type { ListPage } from "../../platform/results/list-page.ts";

/** For resources without a university. Routes check permission. */
export type CatalogCrud<Row, Create, Update, Query> = {
  /** A query may have column values in addition to `SearchAndSortQuery`. */
  list(db: ReadDb, query: Query): Promise<ListPage<Row>>;
  /** 404 if it does not exist. */
  get(db: ReadDb, id: number): Promise<Row>;
  /** 400 if a unique value is taken or a reference does not exist. */
  create(db: Db, input: Create): Promise<Row>;
  /** Absent fields keep their values. Errors as for `get` and `create`. */
  update(db: Db, id: number, change: Update): Promise<Row>;
  /** 404 if it does not exist, 400 while it is in use. */
  remove(db: Db, id: number): Promise<void>;
};

type Table = PgTable & { id: PgColumn };

export type SearchAndSortQuery<Name extends string> = Pagination & {
  q?: string | undefined;
  sort: Name | `-${Name}`;
};

export type ColumnValues<Row> = { [Name in keyof Row]?: Row[Name] | undefined };

/** `resource` is the table's name in messages. */
export function crudOf<T extends Table, Name extends string>(
  table: T,
  resource: ResourceName,
  { searched, sorts }: SearchAndSort<Name>,
) {
  type Row = Omit<InferSelectModel<T>, "search_text">;
  type Create = InferInsertModel<T>;
  const rows: Table = table;
  const { search_text: _, ...columns } = getTableColumns(rows);
  const byId = (id: number): SQL => eq(rows.id, id);
  const first = ([row]: object[]): Row => {
    if (!row) throw notFound(resource);
    return row as Row;
  };
  const get = async (db: ReadDb, id: number) => first(await db.select(columns).from(rows).where(byId(id)));

  return {
    get,
    async list(db, { q, sort, skip, limit, after, ...values }) {
      const page = createPageQuery({ skip, limit, after }, sortKeysForParameter(sort, sorts, rows.id));
      const listed = await db
        .select({ ...columns, page_key: page.key })
        .from(rows)
        .where(page.where(and(equalColumnsCondition(rows, values), containsAllWordsCondition(searched, q))))
        .orderBy(page.order)
        .offset(page.skip)
        .limit(page.limit);
      return page.part(listed) as ListPage<unknown> as ListPage<Row>;
    },
    async create(db, input) {
      return first(await db.insert(rows).values(input).returning(columns));
    },
    async update(db, id, change) {
      if (Object.keys(change).length === 0) return get(db, id);
      return first(await db.update(rows).set(change).where(byId(id)).returning(columns));
    },
    async remove(db, id) {
      first(await db.delete(rows).where(byId(id)).returning({ id: rows.id }));
    },
  } satisfies CatalogCrud<Row, Create, Partial<Create>, SearchAndSortQuery<Name> & ColumnValues<Row>>;
}

export function equalColumnsCondition(table: PgTable, values: Record<string, unknown>): SQL | undefined {
  const columns = Object.entries(getTableColumns(table));
  return and(
    ...columns.map(([name, column]) => (values[name] === undefined ? undefined : eq(column, values[name]))),
  );
}
