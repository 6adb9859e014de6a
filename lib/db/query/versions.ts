import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { PreconditionFailed } from "../../errors.ts";

/** The versions one of which a thing should have for a write (`If-Match`); undefined, whatever it is by now. */
export type ExpectedVersions = readonly number[] | undefined;

/** The expected versions as `integer[]`, null for any: what a function of the database compares with a row. */
export const expectedVersions = (expected: ExpectedVersions): SQL =>
  sql`${expected === undefined ? null : sql.param(expected)}::int[]`;

/** Whether a version is an expected one: a condition of the statement that writes the row. */
export const isExpectedVersion = (version: SQLWrapper, expected: ExpectedVersions): SQL =>
  expected === undefined ? sql`true` : sql`${version} = any(${expectedVersions(expected)})`;

/** Throws a 412 with the thing where it has none of the expected versions. */
export function ensureVersion(present: { version: number }, expected: ExpectedVersions): void {
  if (expected && !expected.includes(present.version)) throw new PreconditionFailed(present);
}
