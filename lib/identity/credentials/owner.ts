import { badRequest, forbidden } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import type { KeyOwner } from "../../platform/llm/credential-store.ts";
import type { Actor } from "../auth/actor.ts";
import { can } from "../rbac/policy.ts";
import { ensureAllowedInUniversity, getUniversity } from "../universities/universities.ts";

/**
 * The named university, else the platform for a platform_admin, else the only university that the caller
 * administers. 404 if it does not exist, 403 without the right, 400 if several are possible.
 */
export async function resolveCredentialOwner(
  db: ReadDb,
  actor: Actor,
  universityId: number | undefined,
): Promise<KeyOwner> {
  if (universityId !== undefined) {
    await ensureAllowedInUniversity(db, actor, "credentials:manage", universityId);
    // A role in the university proves that it exists. A platform_admin may name any id.
    if (can(actor.roles, "platform-credentials:manage")) await getUniversity(db, universityId);
    return universityId;
  }
  if (can(actor.roles, "platform-credentials:manage")) return null;
  const administered = actor.roles.filter((role) =>
    can([role], "credentials:manage", { university_id: role.university_id }),
  );
  const [only, ...others] = new Set(administered.map(({ university_id }) => university_id));
  if (only === undefined) throw forbidden();
  if (others.length > 0)
    throw badRequest("university_id_required", { universities: [only, ...others].join(", ") });
  return only;
}
