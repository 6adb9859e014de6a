import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import {
  classFilterCondition,
  type FilterFields,
  oneRosterFilterCondition,
  parseOneRosterFilter,
} from "../../../../lib/integrations/one-roster/filter.ts";

const fields = {
  name: { kind: "text", value: sql`name` },
  changed: { kind: "moment", value: sql`changed` },
  day: { kind: "date", value: sql`day` },
  is_on: { kind: "flag", value: sql`is_on` },
  score: { kind: "number", value: sql`score` },
  role: {
    kind: "text",
    value: sql`role`,
    some: (matches, university) =>
      sql`exists (select from roles where university_id = ${university} and ${matches(sql`role`)})`,
  },
  student: {
    kind: "text",
    value: sql`student`,
    ofClass: (matches, { operator }) => (operator === "=" ? sql`run has ${matches(sql`seat`)}` : undefined),
  },
} satisfies FilterFields;

const toQuery = (condition: SQL) => new PgDialect().sqlToQuery(condition);
const queryOf = (filter: string) =>
  toQuery(oneRosterFilterCondition(parseOneRosterFilter(filter), fields, 7));

describe("a OneRoster filter", () => {
  it("becomes a condition with parameters, and texts are compared without case", () => {
    const { sql: text, params } = queryOf("name='O''Hara' AND changed>='2026-03-01'");
    expect(text).toBe(
      "(coalesce(lower(name) = lower($1::text), false) and coalesce(changed >= $2::timestamptz, false))",
    );
    expect(params).toEqual(["O'Hara", "2026-03-01T00:00:00.000Z"]);
    expect(queryOf("name~'ar' or is_on='true'").params).toEqual(["ar", true]);
    expect(queryOf("score>'7.5'").params).toEqual(["7.5"]);
  });

  it("finds one of several values of a field", () => {
    const { sql: text, params } = queryOf("role='teacher'");
    expect(text).toBe(
      "(exists (select from roles where university_id = $1 and lower(role) = lower($2::text)))",
    );
    expect(params).toEqual([7, "teacher"]);
  });

  it("becomes a condition on classes, or names the predicate that needs a class", () => {
    const classQueryOf = (filter: string) =>
      toQuery(classFilterCondition(parseOneRosterFilter(filter), fields)).sql;
    expect(classQueryOf("student='a' OR student='b'")).toBe(
      "(run has lower(seat) = lower($1::text) or run has lower(seat) = lower($2::text))",
    );
    for (const filter of ["student~'a'", "score>'1'", "student='a' AND score>'1'"])
      expect(() => classQueryOf(filter), filter).toThrow(/needs a class/);
  });

  it.each([
    "name",
    "name='a' AND",
    "name='a' name='b'",
    "name='a' AND name='b' AND name='c'",
    "name=a",
    "name=='a'",
    "name='a",
    "constructor='a'",
    "other='a'",
    "changed~'2026'",
    "changed>'yesterday'",
    "day='2026-02-31'",
    "day='2026-02-03T10:00:00Z'",
    "is_on>'true'",
    "is_on='1'",
    "score='1e9'",
    "",
  ])("is rejected: %s", (filter) => {
    expect(() => queryOf(filter)).toThrow(expect.objectContaining({ minor: "invalid_filter_field" }));
  });
});
