import { PgDialect } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { courses } from "../../../schema/db/courses/courses.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { featureRequests } from "../../../schema/db/operations/feature-requests.ts";
import { oneOf, toInstant } from "../../../schema/db/platform/columns.ts";
import { enrollmentStatuses } from "../../../schema/enums.ts";

describe("instants", () => {
  it.each([
    ["2026-01-31 09:00:00+00", "2026-01-31T09:00:00.000Z"],
    ["2026-01-31 09:00:00.5+00", "2026-01-31T09:00:00.500Z"],
    ["2026-01-31 14:30:00.123+05:30", "2026-01-31T09:00:00.123Z"],
    ["2026-01-31T09:00:00.123+00:00", "2026-01-31T09:00:00.123Z"],
    ["2026-01-31 01:00:00-08", "2026-01-31T09:00:00.000Z"],
  ])("reads %s, in any session time zone, as %s", (stored, answered) => {
    expect(toInstant(stored)).toBe(answered);
  });

  it("is how a column of that type is read", () => {
    expect(enrollments.enrolled_at.mapFromDriverValue("2026-01-31 09:00:00+00")).toBe(
      "2026-01-31T09:00:00.000Z",
    );
  });
});

describe("enumerations", () => {
  it("are stored in lowercase, from any letter case, and answered in uppercase", () => {
    expect(enrollments.status.mapToDriverValue("WAITLISTED")).toBe("waitlisted");
    expect(enrollments.status.mapFromDriverValue("waitlisted")).toBe("WAITLISTED");
  });

  it("keep their stored spelling if the API spells them in lowercase", () => {
    expect(featureRequests.status.mapFromDriverValue("under_review")).toBe("under_review");
  });

  it("are checked by the database against the list", () => {
    const { name, value } = oneOf(enrollments.status, enrollmentStatuses);
    const { sql, params } = new PgDialect().sqlToQuery(value);
    expect(name).toBe("enrollments_status_check");
    expect(sql).toBe(`"enrollments"."status" in ('active', 'completed', 'dropped', 'pending', 'waitlisted')`);
    expect(params).toEqual([]);
  });
});

it("reads decimals as numbers", () => {
  expect(courses.credit_hours.mapFromDriverValue("7.50")).toBe(7.5);
});
