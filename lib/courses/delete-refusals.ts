import { type SQL, sql } from "drizzle-orm";
import { badRequest } from "../errors.ts";
import type { Db } from "../platform/db/client.ts";
import { constraintViolationIn } from "../platform/db/query/violations.ts";

/**
 * Translates the refusal to delete referenced rows into a 400: enrollments if these offerings have any, else
 * "in use". `offerings` is a condition on `course_offerings`. Rethrows other errors.
 */
export const translateDeleteRefusal =
  (db: Db, resource: "Course" | "Offering", offerings: SQL) =>
  async (error: unknown): Promise<never> => {
    if (!/^23(001|503)$/.test(constraintViolationIn(error)?.code ?? "")) throw error;
    const { rows } = await db.execute(sql`
      select from enrollments join course_offerings on course_offerings.id = course_offering_id
      where ${offerings} limit 1`);
    throw badRequest(rows.length > 0 ? "has_enrollments" : "still_in_use", { thing: resource });
  };
