import type { Catalog, Column, Table } from "./catalog.ts";
import type { Ownership } from "./ownership.ts";

/** The session's table of exported people, as SQL. */
export const PEOPLE = "people_taken";

const filled = (text: string, university: number, taken: (column: string) => string): string =>
  text
    .replaceAll(":university", String(university))
    .replaceAll(/:taken\((\w+)\)/g, (_, column: string) => taken(column));

const isTaken = (column: string) => `${column} in (select id from ${PEOPLE})`;

export function takenWhere({ where, person }: Ownership, university: number): string {
  const all = person ? `(${where}) and :taken(${person})` : where;
  return filled(all, university, isTaken);
}

export const removedWhere = ({ where, removes = where }: Ownership, university: number): string =>
  filled(removes, university, () => "true");

/** The exported columns: no generated ones, and references to other people are null. */
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

/** The table that a column refers to, with or without a foreign key. */
export const targetOf = (column: Column, { names }: Ownership): string | undefined =>
  names?.[column.name] ?? column.refersTo;

export function tableOf(catalog: Catalog, { table }: Ownership): Table {
  const found = catalog.get(table);
  if (!found) throw new Error(`The database has no table ${table}. Run "npm run migrate" first`);
  return found;
}
