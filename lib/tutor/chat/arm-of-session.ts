import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { rolloutArms } from "../../../schema/enums.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { typedSql } from "../../platform/db/query/rows.ts";

const Rollout = z.object({ rollout_id: z.int(), rollout_arm: z.enum(rolloutArms) });
export type SessionRollout = z.output<typeof Rollout>;

/** By a hash of rollout and unit, so it never changes. */
export const inCandidateArmCondition = (rollout: SQL, unit: SQL, share: SQL): SQL =>
  sql`(('x' || left(sha256_hex(${rollout} || ' ' || ${unit}), 8))::bit(32)::bigint % 100 < ${share})`;

const unit = (actor: Actor) => sql`coalesce('offering ' || case running.unit when 'offering' then (
  select mine.course_offering_id from current_offerings as mine
  where mine.user_id = ${actor.id} and mine.course_id = ${contentItems.course_id}) end, 'person ' || ${actor.id}::int)`;

export const sessionRolloutJsonSql = (actor: Actor, tutorPrompt: string): SQL<SessionRollout | null> =>
  typedSql(Rollout.nullable())`(
    select json_build_object('rollout_id', running.id, 'rollout_arm', case
      when ${inCandidateArmCondition(sql`running.id`, unit(actor), sql`running.share`)} then 'candidate' else 'base' end)
    from tutor_prompt_of_content_type(${contentTypes.name}, ${tutorPrompt}) as base
    join prompt_rollouts as running
      on running.prompt_name = base.name and running.state = 'running' and running.base_id = base.id
    where running.universities is null or ${contentItems.university_id} = any (running.universities))`;
