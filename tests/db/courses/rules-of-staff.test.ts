import { eq, type SQL, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { readableGraderSecretCondition } from "../../../lib/assessment/auto-grading.ts";
import {
  coursePermissionCondition,
  offeringPermissionCondition,
} from "../../../lib/courses/course-permissions.ts";
import { findActor } from "../../../lib/identity/auth/actor.ts";
import type { PolicyAction } from "../../../lib/identity/rbac/policy.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { openCourseWithStaff, rankNames } from "../../support/enrolled-staff.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

/** Conditions for any person that say the same as conditions on the caller. */
const twins: [PolicyAction, (person: SQL, id: SQL) => SQL][] = [
  ["enrollment:manage", (person, offering) => sql`is_staff_of_offering(${person}, ${offering})`],
  [
    "offering:write",
    (person, offering) => sql`is_staff_of_offering(${person}, ${offering}, teaches => true)`,
  ],
  ["auto-grader:read", readableGraderSecretCondition],
  ["course:read-unpublished", (person, course) => sql`is_staff_of_course(${person}, ${course})`],
];

it.each(rankNames)(
  "the database and the policy agree about a %s, who learns there or elsewhere",
  async (rank) => {
    const { offering, other, course, holder, make } = await openCourseWithStaff(world);
    const stranger = await make.topic();
    const { db } = world.deps;
    for (const learnsIn of [undefined, offering, other, stranger.offering]) {
      const me = await holder(rank);
      if (learnsIn) await make.enrollment(me.id, learnsIn.id);
      const actor = await findActor(db, { id: me.id, token_version: 0 });
      for (const run of [offering, other, stranger.offering])
        for (const [action, holds] of twins) {
          const isOfCourse = action === "auto-grader:read" || action === "course:read-unpublished";
          const id = isOfCourse ? run.course_id : run.id;
          const allowed = isOfCourse
            ? coursePermissionCondition(actor, action)
            : offeringPermissionCondition(actor, action);
          const [said] = await db
            .select({
              policy: sql<boolean>`${allowed}`,
              database: sql<boolean>`${holds(sql`${me.id}::int`, sql`${id}::int`)}`,
            })
            .from(courseOfferings)
            .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
            .where(eq(courseOfferings.id, run.id));
          const where = `${action} at ${run.id} of ${course.id}, learning in ${learnsIn?.id}`;
          expect(said?.database, where).toBe(said?.policy);
        }
    }
  },
);
