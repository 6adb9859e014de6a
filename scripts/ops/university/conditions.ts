import type { Catalog, Column, Table } from "./catalog.ts";
import type { Ownership } from "./ownership.ts";

/** Who is taken, in a table of the session: its name in SQL. */
export const PEOPLE = "people_taken";

const filled = (text: string, university: number, taken: (column: string) => string): string =>
  text
    .replaceAll(":university", String(university))
    .replaceAll(/:taken\((\w+)\)/g, (_, column: string) => taken(column));

const isTaken = (column: string) => `${column} in (select id from ${PEOPLE})`;

/** Which rows of a table are taken. */
export function takenWhere({ where, person }: Ownership, university: number): string {
  const all = person ? `(${where}) and :taken(${person})` : where;
  return filled(all, university, isTaken);
}

/** Which rows of a table a removal deletes. */
export const removedWhere = ({ where, removes = where }: Ownership, university: number): string =>
  filled(removes, university, () => "true");

/** What is read of each row: columns that the database works out are not, and nobody is named who is not taken. */
export function takenColumns(table: Table, ownership: Ownership, university: number): string {
  const columns = table.columns.filter(({ isGenerated }) => !isGenerated);
  return columns
    .map((column) => `${expressionOf(column, ownership, university)} as ${column.name}`)
    .join(", ");
}

function expressionOf(
  column: Column,
  { table, instead, names, person }: Ownership,
  university: number,
): string {
  const replaced = instead?.[column.name];
  if (replaced) return `(${filled(replaced, university, isTaken)})`;
  const target = names?.[column.name] ?? column.refersTo;
  if (target !== "users" || column.name === person || table === "users") return column.name;
  return `(select id from ${PEOPLE} where id = ${table}.${column.name})`;
}

/** The table whose row a column names, by a foreign key or without one. */
export const targetOf = (column: Column, { names }: Ownership): string | undefined =>
  names?.[column.name] ?? column.refersTo;

/** The table of a belonging. */
export function tableOf(catalog: Catalog, { table }: Ownership): Table {
  const found = catalog.get(table);
  if (!found) throw new Error(`The database has no table ${table}: run "npm run migrate" first`);
  return found;
}
