import {
  and,
  eq,
  getTableColumns,
  type InferInsertModel,
  type InferSelectModel,
  type SQL,
} from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Pagination } from "../../schema/api/fields.ts";
import type { Db } from "../db/client.ts";
import { ascending, pageOf } from "../db/page.ts";
import { notFound } from "../errors.ts";
import type { ListPart } from "../list-part.ts";

/** What can be done with a resource that belongs to no university; who may do it is settled at the door. */
export type Crud<Row, Create, Update, Query> = {
  /** The rows by id; what the query holds beside its window are values that columns must have. */
  list(db: Db, query: Query): Promise<ListPart<Row>>;
  /** 404 when there is none. */
  get(db: Db, id: number): Promise<Row>;
  /** 400 when a unique value is taken, or what it refers to does not exist. */
  create(db: Db, input: Create): Promise<Row>;
  /** Absent fields keep their values. Refuses as `get` and `create` do. */
  update(db: Db, id: number, change: Update): Promise<Row>;
  /** 404 when there is none, 400 while it is in use. */
  remove(db: Db, id: number): Promise<void>;
};

type Table = PgTable & { id: PgColumn };

type ValuesOf<Row> = { [Name in keyof Row]?: Row[Name] | undefined };

/** Creates, reads, updates and deletes the rows of a table; `resource` is what people call one of them. */
export function crudOf<T extends Table>(table: T, resource: string) {
  type Row = InferSelectModel<T>;
  type Create = InferInsertModel<T>;
  const rows: Table = table;
  const byId = (id: number): SQL => eq(rows.id, id);
  const first = ([row]: object[]): Row => {
    if (!row) throw notFound(resource);
    return row as Row;
  };
  const get = async (db: Db, id: number) => first(await db.select().from(rows).where(byId(id)));

  return {
    get,
    async list(db, { skip, limit, after, ...values }) {
      const page = pageOf({ skip, limit, after }, [ascending(rows.id)]);
      const listed = await db
        .select({ ...getTableColumns(rows), page_key: page.key })
        .from(rows)
        .where(page.where(having(rows, values)))
        .orderBy(page.order)
        .offset(page.skip)
        .limit(page.limit);
      return page.part(listed) as ListPart<unknown> as ListPart<Row>;
    },
    async create(db, input) {
      return first(await db.insert(rows).values(input).returning());
    },
    async update(db, id, change) {
      if (Object.keys(change).length === 0) return get(db, id);
      return first(await db.update(rows).set(change).where(byId(id)).returning());
    },
    async remove(db, id) {
      first(await db.delete(rows).where(byId(id)).returning({ id: rows.id }));
    },
  } satisfies Crud<Row, Create, Partial<Create>, Pagination & ValuesOf<Row>>;
}

function having(table: Table, values: Record<string, unknown>): SQL | undefined {
  const columns = Object.entries(getTableColumns(table));
  return and(
    ...columns.map(([name, column]) => (values[name] === undefined ? undefined : eq(column, values[name]))),
  );
}
