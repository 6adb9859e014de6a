import type { Column, Table } from "./catalog.ts";
import { targetOf } from "./conditions.ts";
import { causeWithIds, type Ids, jsonWithIds } from "./ids.ts";
import type { Ownership } from "./ownership.ts";

export type Row = Record<string, unknown>;

const tableOfObject: Readonly<Record<string, string>> = {
  content_item: "content_items",
  module: "modules",
  discussion_post: "discussion_posts",
  flashcard: "flashcards",
};

export function rowHere(row: Row, table: Table, ownership: Ownership, ids: Ids): Row {
  const here: Row = {};
  for (const column of table.columns)
    if (!column.isGenerated) here[column.name] = valueHere(row[column.name], column, table, ownership, ids);
  return special[table.name]?.(here, row, ids) ?? here;
}

function valueHere(value: unknown, column: Column, table: Table, ownership: Ownership, ids: Ids): unknown {
  if (value === null || value === undefined) return null;
  const target = targetOf(column, ownership);
  const how = ownership.json?.[column.name];
  if (how) return jsonWithIds(value, how, ids);
  if (column.isId) return required(ids.of(table.name, value as number), table.name, column);
  if (!target) return value;
  if (Array.isArray(value)) return value.flatMap((one) => ids.of(target, one as number) ?? []);
  // People erased when accounts were still deleted completely.
  if (target === "users" && (value as number) < 0) return value;
  const id = ids.of(target, value as number);
  return column.isNullable ? id : required(id, table.name, column);
}

function required(id: number | null, table: string, { name }: Column): number {
  if (id === null) throw new Error(`A row of ${table} refers in ${name} to a row that is not in the export`);
  return id;
}

const special: Readonly<Record<string, (here: Row, row: Row, ids: Ids) => Row>> = {
  // A deleted node's number only groups equal questions; negative, it refers to no node here.
  tutor_questions: (here, { node_id }, ids) => ({
    ...here,
    node_id: node_id === null ? null : (ids.of("cache_nodes", Number(node_id)) ?? -Math.abs(Number(node_id))),
  }),
  activity_events: (here, { object_type, object_id }, ids) => {
    const table = tableOfObject[String(object_type)];
    // Transaction numbers of another database have no meaning here.
    return { ...here, object_id: (table && ids.of(table, Number(object_id))) ?? 0, change_number: 0 };
  },
  course_grades: (here, { change_number }) => ({
    ...here,
    change_number: change_number === null ? null : 0,
  }),
  notifications: (here, { cause }, ids) => ({ ...here, cause: causeWithIds(String(cause), ids) }),
  // A university provider's login name begins with the university's id.
  user_identities: (here, { provider }, ids) => {
    const [university = "", ...name] = String(provider).split(".");
    return { ...here, provider: [ids.of("universities", Number(university)), ...name].join(".") };
  },
};
