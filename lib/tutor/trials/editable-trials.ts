import { type SQL, sql } from "drizzle-orm";
import type { TrialPath } from "../../../schema/api/tutor/trials.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import type { Actor } from "../../identity/auth/actor.ts";

/** Rows `trials as trial` of a version in courses that the caller can edit. */
export const editableTrialOfVersionCondition = (
  actor: Actor,
  { prompt_name, version }: Pick<TrialPath, "prompt_name" | "version">,
): SQL => sql`trial.prompt_name = ${prompt_name} and trial.version = ${version} and exists (
  select from courses where courses.id = trial.course_id and ${coursePermissionCondition(actor, "content:write")})`;

export const editableTrialWithIdCondition = (actor: Actor, path: TrialPath): SQL =>
  sql`trial.id = ${path.trial_id} and ${editableTrialOfVersionCondition(actor, path)}`;
