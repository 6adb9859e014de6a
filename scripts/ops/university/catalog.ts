import type pg from "pg";

/** A column as the commands see it: what it refers to is a table with ids, whichever key says so. */
export type Column = {
  name: string;
  type: string;
  isNullable: boolean;
  isGenerated: boolean;
  /** Whether the database draws it. */
  isId: boolean;
  refersTo?: string;
};

export type Table = {
  name: string;
  columns: readonly Column[];
  /** Whether its rows are found by an id that the database draws. */
  hasId: boolean;
  /** Triggers of the schema's own that an insert would set off. */
  hasTriggers: boolean;
};

export type Catalog = ReadonlyMap<string, Table>;

type Row = Omit<Column, "refersTo"> & {
  table: string;
  hasTriggers: boolean;
  /** By foreign keys: the table and column that this one has the value of. */
  parents: { table: string; column: string }[];
};

/** All tables of the schema with their columns, and where those refer to. */
export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const { rows } = await client.query<Row>(`
    select relname as table, attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as "isNullable",
      attgenerated <> '' as "isGenerated", attidentity <> '' and attname = 'id' as "isId",
      exists (select from pg_trigger where tgrelid = pg_class.oid and not tgisinternal) as "hasTriggers",
      coalesce((
        select json_agg(json_build_object('table', confrelid::regclass::text, 'column', parent.attname) order by conname)
        from pg_constraint
        join unnest(conkey, confkey) as pair (own, theirs) on pair.own = pg_attribute.attnum
        join pg_attribute as parent on parent.attrelid = confrelid and parent.attnum = pair.theirs
        where conrelid = pg_class.oid and contype = 'f'), '[]') as parents
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition
    order by relname, attnum`);
  const tables = Map.groupBy(rows, ({ table }) => table);
  return new Map([...tables].map(([name, columns]) => [name, tableOf(name, columns, tables)]));
}

function tableOf(name: string, rows: readonly Row[], all: Map<string, Row[]>): Table {
  const columns = rows.map(({ table, parents, hasTriggers, ...column }) => {
    const refersTo = column.isId ? undefined : targetOf(table, column.name, all);
    return { ...column, ...(refersTo && { refersTo }) };
  });
  return {
    name,
    columns,
    hasId: columns.some(({ isId }) => isId),
    hasTriggers: rows.some(({ hasTriggers }) => hasTriggers),
  };
}

/** The table whose id a column has, along its foreign keys; none for what is no id in the end. */
function targetOf(
  table: string,
  column: string,
  all: Map<string, Row[]>,
  passed: readonly string[] = [],
): string | undefined {
  const at = `${table}.${column}`;
  if (passed.includes(at)) return undefined;
  const row = all.get(table)?.find(({ name }) => name === column);
  for (const parent of row?.parents ?? []) {
    if (parent.column === "id") return parent.table;
    const further = targetOf(parent.table, parent.column, all, [...passed, at]);
    if (further) return further;
  }
  return undefined;
}
