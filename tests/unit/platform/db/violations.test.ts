import { globSync } from "node:fs";
import path from "node:path";
import { getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { violationToHttpError } from "../../../../lib/platform/db/query/violations.ts";

const folder = path.resolve(import.meta.dirname, "../../../../schema/db");
const files = await Promise.all(
  globSync("*/*.ts", { cwd: folder }).map((file) => import(path.join(folder, file))),
);
const tables = files.flatMap((file) => Object.values(file)).filter((value) => is(value, PgTable));

const refusal = (code: string, message: string, more: object = {}) =>
  violationToHttpError(Object.assign(new Error(message), { code, ...more }))?.message;

describe("a refusal of the database", () => {
  it.each(tables.map(getTableName))("speaks of one row of %s, when it is still in use", (table) => {
    const message = `update or delete on table "${table}" violates RESTRICT setting of foreign key constraint`;
    expect(refusal("23001", message)).toMatch(/^[A-Z][a-z]+( [a-z]+)* is still in use$/);
    expect(refusal("23001", message)).not.toMatch(/(ies|[^s]s|ie|gres) is/);
  });

  it.each([
    ["courses", "Course"],
    ["course_offerings", "Offering"],
    ["universities", "University"],
    ["user_content_progress", "Progress"],
    ["prompt_dependencies", "Prompt dependency"],
  ])("calls a row of %s %s", (table, resource) => {
    const message = `update or delete on table "${table}" violates foreign key constraint "x" on table "y"`;
    expect(
      refusal("23503", message, { table: "y", detail: "Key (id)=(7) is still referenced from table" }),
    ).toBe(`${resource} is still in use`);
  });

  it("names the field and the value that are taken, or lead nowhere", () => {
    const taken = { table: "courses", detail: "Key (university_id, code)=(1, EE-101) already exists." };
    expect(refusal("23505", "duplicate key", taken)).toBe("Course code 'EE-101' is already taken");
    const missing = { table: "modules", detail: 'Key (course_id)=(7) is not present in table "courses".' };
    expect(refusal("23503", "insert or update", missing)).toBe("Module course_id '7' does not exist");
    expect(violationToHttpError(Object.assign(new Error(), { code: "23505", ...taken }))?.field).toBe("code");
    expect(violationToHttpError(Object.assign(new Error(), { code: "23503", ...missing }))?.field).toBe(
      "course_id",
    );
  });

  it("names the rule of a violated check or exclusion", () => {
    for (const code of ["23514", "23P01"])
      expect(refusal(code, "refused", { table: "modules", constraint: "modules_depth_limit" })).toBe(
        "Module breaks the rule modules_depth_limit",
      );
  });

  it.each([
    "22012",
    "22P02",
    "22003",
    "22001",
    "22023",
    "22P05",
    "23502",
    "42703",
    "42P01",
    "P0001",
    "XX000",
  ])("is not the request's fault when it is %s: that is a bug in our SQL", (code) => {
    expect(refusal(code, "something of ours broke", { table: "modules", column: "title" })).toBeUndefined();
  });
});
