import type { Actor } from "../auth/actor.ts";
import type { ReadDb } from "../db/client.ts";
import { badRequest, forbidden } from "../errors.ts";
import type { KeyOwner } from "../llm/credential-store.ts";
import { can } from "../rbac/policy.ts";
import { ensureIn, getUniversity } from "../universities/universities.ts";

/**
 * Whose credentials a caller speaks of: those of the university that they name; without one the platform's for a
 * platform_admin, else those of the one university that they administer. 404 when there is no such university, 403 for
 * another's and for whoever administers none, 400 for whoever administers several and names none.
 */
export async function ownerOf(db: ReadDb, actor: Actor, universityId: number | undefined): Promise<KeyOwner> {
  if (universityId !== undefined) {
    await ensureIn(db, actor, "credentials:manage", universityId);
    // A role of a university says that it exists; a platform_admin may name what does not.
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
