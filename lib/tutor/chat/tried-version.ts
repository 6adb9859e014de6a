import type { SQL } from "drizzle-orm";
import * as z from "zod";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { can } from "../../identity/rbac/policy.ts";
import { typedSql } from "../../platform/db/query/rows.ts";

/** A version that its author tries before a label moves; by default of the topic's own prompt. */
export type VersionToTry = { prompt_version: number; prompt_name?: string | undefined };

const TriedVersion = z.object({ is_staff: z.boolean(), name: z.string(), id: z.int().nullable() });

export type TriedVersion = z.output<typeof TriedVersion>;

/** For a statement with item, type and course; null for none. `resolveTutorPrompt` is for all types. */
export const triedVersionJsonSql = (
  actor: Actor,
  tried: VersionToTry | undefined,
  tutorPrompt: string,
): SQL<TriedVersion | null> =>
  tried === undefined
    ? typedSql(TriedVersion.nullable())`null::json`
    : typedSql(TriedVersion.nullable())`(
        select json_build_object('name', named.name, 'id', prompts.id,
                                 'is_staff', ${can(actor.roles, "prompt:read")}::boolean and ${coursePermissionCondition(actor, "content:write")})
        from (select coalesce(${tried.prompt_name ?? null}::text,
                (select name from tutor_prompt_of_content_type(${contentTypes.name}, ${tutorPrompt})), ${tutorPrompt}) as name) as named
        left join prompts on prompts.name = named.name and prompts.version = ${tried.prompt_version})`;

/**
 * 403 without the right to write content or read prompts, 400 for a prompt that never teaches there,
 * 404 without such a version.
 */
export function resolveTriedPromptId(
  { is_staff, name, id }: TriedVersion,
  contentType: string,
  tutorPrompt: string,
): number {
  if (!is_staff) throw forbidden();
  const names = [tutorPrompt, `${tutorPrompt}-${contentType}`];
  if (!names.includes(name))
    throw badRequest("not_one_of", { field: "prompt_name", choices: names.join(", ") });
  if (id === null) throw notFound("Prompt version");
  return id;
}
