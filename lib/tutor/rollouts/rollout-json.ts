import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Rollout } from "../../../schema/api/tutor/rollouts.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { can } from "../../identity/rbac/policy.ts";
import { labelsProtectedFromActor } from "../prompts/labels.ts";

export const rolloutJsonSql = (rollout: SQL): SQL => sql`json_build_object(
  'id', ${rollout}.id, 'prompt_name', ${rollout}.prompt_name, 'candidate_version', ${rollout}.candidate_version,
  'base_version', ${rollout}.base_version, 'share', ${rollout}.share, 'unit', upper(${rollout}.unit),
  'universities', ${rollout}.universities, 'stop', ${rollout}.stop, 'state', upper(${rollout}.state),
  'stop_reason', upper(${rollout}.stop_reason), 'author_id', ${rollout}.author_id, 'approved_by', ${rollout}.approved_by,
  'ended_by', ${rollout}.ended_by, 'created_at', ${momentForm(sql`${rollout}.created_at`)},
  'ended_at', ${momentForm(sql`${rollout}.ended_at`)})`;

export const RolloutRow = z.object({ rollout: Rollout });

export const canMoveProductionLabel = (actor: Actor, protectedLabels: readonly string[]): boolean =>
  can(actor.roles, "prompt:write") &&
  !labelsProtectedFromActor(actor, protectedLabels).includes("production");
