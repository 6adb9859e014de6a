import { and, asc, eq, sql } from "drizzle-orm";
import type { RosterEntry, RosterQuery } from "../../schema/api/offerings.ts";
import { enrollments } from "../../schema/db/enrollments.ts";
import { courseOfferings } from "../../schema/db/offerings.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { type OfferingPath, offeringOpenTo, refuseOffering } from "./offerings.ts";

/** Everyone who is or was enrolled in an offering, by status, then in the order in which seats are given. */
export async function listRoster(
  db: Db,
  actor: Actor,
  path: OfferingPath,
  { status, skip, limit }: RosterQuery,
): Promise<RosterEntry[]> {
  const listed = db
    .select({
      id: enrollments.id,
      user_id: enrollments.user_id,
      email: users.email,
      full_name: users.full_name,
      status: enrollments.status,
      enrolled_at: enrollments.enrolled_at,
      completed_at: enrollments.completed_at,
    })
    .from(enrollments)
    .innerJoin(users, eq(users.id, enrollments.user_id))
    .where(
      and(
        eq(enrollments.course_offering_id, courseOfferings.id),
        status ? eq(enrollments.status, status) : undefined,
      ),
    )
    .orderBy(asc(enrollments.status), asc(enrollments.enrolled_at), asc(enrollments.id))
    .offset(skip)
    .limit(limit)
    .as("listed");
  const rows = await db
    .select({ listed: listed._.selectedFields })
    .from(courseOfferings)
    .leftJoinLateral(listed, sql`true`)
    .where(offeringOpenTo(actor, "enrollment:manage", path));
  if (rows.length === 0) await refuseOffering(db, actor, path);
  return rows.flatMap((row) => row.listed ?? []);
}
