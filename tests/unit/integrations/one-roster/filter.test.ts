import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import {
  oneRosterFilterCondition,
  parseOneRosterFilter,
} from "../../../../lib/integrations/one-roster/filter.ts";

const fields = {
  name: { kind: "text", value: sql`name` },
  changed: { kind: "moment", value: sql`changed` },
  day: { kind: "date", value: sql`day` },
  is_on: { kind: "flag", value: sql`is_on` },
  score: { kind: "number", value: sql`score` },
  role: { kind: "text", value: sql`role`, list: sql`roles` },
} as const;

const queryOf = (filter: string) =>
  new PgDialect().sqlToQuery(oneRosterFilterCondition(parseOneRosterFilter(filter), fields));

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
    expect(queryOf("role='teacher'").sql).toBe(
      "(exists (select from roles where lower(role) = lower($1::text)))",
    );
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
