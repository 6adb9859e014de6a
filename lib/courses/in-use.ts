import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { refusalIn } from "../db/query/violations.ts";
import { badRequest } from "../errors.ts";

/**
 * Translates the database's refusal to delete what is still referred to into a 400 that says why: because of
 * enrollments, if there are any in these offerings (a condition on `course_offerings`), else because it is in use.
 * Other errors are thrown on.
 */
export const translateDeleteRefusal =
  (db: Db, resource: "Course" | "Offering", offerings: SQL) =>
  async (error: unknown): Promise<never> => {
    if (!/^23(001|503)$/.test(refusalIn(error)?.code ?? "")) throw error;
    const { rows } = await db.execute(sql`
      select from enrollments join course_offerings on course_offerings.id = course_offering_id
      where ${offerings} limit 1`);
    throw badRequest(rows.length > 0 ? "has_enrollments" : "still_in_use", { thing: resource });
  };
