import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PreconditionFailed } from "../../../errors.ts";

/** From `If-Match`; undefined allows any. */
export type ExpectedVersions = readonly number[] | undefined;

/** As `integer[]`, null for any. */
export const expectedVersionsSql = (expected: ExpectedVersions): SQL =>
  sql`${expected === undefined ? null : sql.param(expected)}::int[]`;

export const expectedVersionCondition = (version: SQLWrapper, expected: ExpectedVersions): SQL =>
  expected === undefined ? sql`true` : sql`${version} = any(${expectedVersionsSql(expected)})`;

/** Throws 412 with the current resource. */
export function ensureVersion(present: { version: number }, expected: ExpectedVersions): void {
  if (expected && !expected.includes(present.version)) throw new PreconditionFailed(present);
}
