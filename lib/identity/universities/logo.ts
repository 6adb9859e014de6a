import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { UniversityLogo } from "../../../schema/api/identity/looks.ts";
import { nonexistentFileBadRequest, notFound } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { Actor } from "../auth/actor.ts";
import { logoUrl } from "../looks/university-branding.ts";
import { permissionCondition } from "../rbac/scopes.ts";
import { ensureAllowedInUniversity } from "./universities.ts";

const Put = z.object({ misplaced: z.int().nullable(), shown: z.string().nullable() });

/**
 * Null removes it. The previous URL stops working. 403 for non-administrators, 400 for a file of another
 * user, purpose or university.
 */
export async function setLogo(
  db: Db,
  actor: Actor,
  universityId: number,
  file: number | null,
  now: Date,
): Promise<UniversityLogo> {
  const token = randomBytes(16).toString("base64url");
  const [put] = await rowsOf(
    db,
    Put,
    sql`
      select done.misplaced::float8 as misplaced, done.shown from universities
      cross join lateral replace_avatar_or_logo(universities.id, ${actor.id}, ${file}::bigint, ${token}, ${now.toISOString()}) as done
      where universities.id = ${universityId} and ${permissionCondition(actor, "university:update", sql`universities.id`)}`,
  );
  if (!put) {
    await ensureAllowedInUniversity(db, actor, "university:update", universityId);
    throw notFound("University");
  }
  if (put.misplaced) throw nonexistentFileBadRequest(put.misplaced);
  return { logo_url: logoUrl(put.shown) };
}
