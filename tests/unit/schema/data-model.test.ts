import { readdir, readFile } from "node:fs/promises";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { getTableConfig, type PgColumn, PgTable } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { courseLevels, enrollmentStatuses, moduleTypes, roles } from "../../../schema/enums.ts";

const folder = new URL("../../../schema/db/", import.meta.url);
const modules = await Promise.all(
  (await readdir(folder, { recursive: true }))
    .filter((file) => file.endsWith(".ts"))
    .map((file): Promise<object> => import(new URL(file, folder).href)),
);
const tables = modules.flatMap((module) => Object.values(module)).filter((value) => is(value, PgTable));

const columnNames = (columns: readonly unknown[]) =>
  columns.map((column) => (column as Pick<PgColumn, "name">).name);

describe.each(tables.map((table) => ({ name: getTableName(table), table })))("$name", ({ table }) => {
  const { primaryKeys, uniqueConstraints, indexes, foreignKeys, checks, columns } = getTableConfig(table);
  const indexed = [
    ...columns.filter((column) => column.primary || column.isUnique).map((column) => [column.name]),
    ...primaryKeys.map((key) => columnNames(key.columns)),
    ...uniqueConstraints.map((constraint) => columnNames(constraint.columns)),
    ...indexes.map((index) => columnNames(index.config.columns)),
  ];

  it("names its fields as its columns", () => {
    for (const [field, column] of Object.entries(getTableColumns(table))) expect(column.name).toBe(field);
  });

  it("has an index that begins with each foreign key's first column", () => {
    const leading = indexed.map(([first]) => first);
    for (const key of foreignKeys) expect(leading).toContain(columnNames(key.reference().columns)[0]);
  });

  it("lists the effect of a deletion on each foreign key", () => {
    for (const key of foreignKeys) expect(["cascade", "restrict", "set null"]).toContain(key.onDelete);
  });

  it("has no name that PostgreSQL would cut at 63 characters", () => {
    const names = [...uniqueConstraints, ...foreignKeys].map((constraint) => constraint.getName() ?? "");
    const others = [...checks, ...indexes.map((index) => index.config)].map(({ name }) => name ?? "");
    for (const name of [...names, ...others]) expect(name.length).toBeLessThanOrEqual(63);
  });

  it("checks each enumeration", () => {
    const enumerations = columns.filter(
      (column) => column.columnType === "PgCustomColumn" && column.getSQLType() === "text",
    );
    const checked = checks.map((check) => check.name);
    for (const column of enumerations)
      expect(checked).toContain(`${getTableName(table)}_${column.name}_check`);
  });
});

describe("the lists", () => {
  it("hold the roles in rank order", () => {
    expect(roles).toEqual([
      "student",
      "ta",
      "instructor",
      "department_admin",
      "university_admin",
      "platform_admin",
    ]);
  });

  it("are lowercase and without repetition", () => {
    for (const list of [roles, courseLevels, enrollmentStatuses, moduleTypes]) {
      expect(new Set<string>(list).size).toBe(list.length);
      for (const value of list) expect(value).toBe(value.toLowerCase());
    }
  });
});

describe("the migrations", async () => {
  const read = (file: string) => readFile(new URL(`../migrations/${file}`, folder), "utf8");
  const dataModel = await read("0000_tables.sql");
  const referenceData = await read("0001_reference_data.sql");

  it.each(["modules_sibling_order_unique", "content_items_order_unique"])(
    "check %s at the end of a statement, so one update can reorder",
    (constraint) => {
      const made = dataModel.split(";").filter((statement) => statement.includes(constraint));
      expect(made.at(-1)).toMatch(/ deferrable\b/i);
    },
  );

  it("seed the 249 countries of ISO 3166-1", () => {
    const codes = [...referenceData.matchAll(/^ {2}\('([A-Z]{2})', /gm)].map(([, code]) => code);
    expect(new Set(codes).size).toBe(249);
    expect(codes).toHaveLength(249);
  });

  it("seed a tutor prompt that uses the item, its language and level, and the notes of staff", () => {
    const variables = [...referenceData.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
    expect(new Set(variables)).toEqual(
      new Set([
        ...["if_question_blocks", "if_question_tool", "end_if"],
        "title",
        "description",
        "content_type",
        "content",
        "language",
        "level",
        "tutor_notes",
        "course_notes",
      ]),
    );
  });
});
