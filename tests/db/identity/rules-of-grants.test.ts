import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import * as z from "zod";
import { manageableInvitationCondition } from "../../../lib/courses/invitations/invitations.ts";
import { findActor } from "../../../lib/identity/auth/actor.ts";
import { can } from "../../../lib/identity/rbac/policy.ts";
import { roleGrantAction } from "../../../lib/identity/universities/grantable.ts";
import { grantableRoleCondition } from "../../../lib/identity/universities/roles.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { roles } from "../../../schema/enums.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

const Said = z.object({
  role: z.enum(roles),
  department_id: z.int().nullable(),
  database: z.boolean(),
  revokes: z.boolean(),
  invites: z.boolean(),
});

it.each(roles)(
  "granting, revoking and inviting as a %s, and acting for one, allow the same for every role everywhere",
  async (held) => {
    const make = makersOf(world);
    const university = await make.university();
    const [own, other] = [await make.department(university.id), await make.department(university.id)];
    const elsewhere = await make.university();
    const holders = [
      await make.holder(held, university.id),
      await make.holder(held, university.id, own.id),
      await make.holder(held, elsewhere.id),
    ];
    const granted = sql.join(
      roles.flatMap((role) =>
        [null, own.id, other.id].map(
          (department) => sql`(${university.id}::int, ${role}::text, ${department}::int)`,
        ),
      ),
      sql`, `,
    );
    for (const [at, holder] of holders.entries()) {
      const actor = await findActor(world.deps.db, { id: holder.id, token_version: 0 });
      if (!actor) throw new Error("the holder has an account");
      const said = await rowsOf(
        world.deps.db,
        Said,
        sql`
        select one.role, one.department_id,
          coalesce(can_grant_role(${holder.id}::int, one.role, one.university_id, one.department_id), false) as database,
          coalesce(${grantableRoleCondition(actor) ?? sql`true`}, false) as revokes,
          coalesce(${manageableInvitationCondition(actor)}, false) as invites
        from (values ${granted}) as user_university_roles (university_id, role, department_id)
        cross join lateral (
          select user_university_roles.*, null::int as course_offering_id, false as teaches, null::int as course_id) as one`,
      );
      expect(said).toHaveLength(roles.length * 3);
      for (const { role, department_id, ...answers } of said) {
        const scope = { university_id: university.id, department_id };
        const spelled = role.toUpperCase() as Uppercase<typeof role>;
        const policy = can(actor.roles, roleGrantAction(spelled, department_id), scope);
        const where = `${held} ${["of all", "of the department", "elsewhere"][at]}, granting ${role} in ${department_id}`;
        expect(answers, where).toEqual({ database: policy, revokes: policy, invites: policy });
      }
    }
  },
);
