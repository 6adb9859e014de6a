import { randomBytes } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { users } from "../../../schema/db/identity/users.ts";
import { nonexistentFileBadRequest } from "../../errors.ts";
import { apiUrlOfRequest } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { Actor } from "../auth/actor.ts";

export const avatarUrl = (token: string | null): string | null => token && `${below()}${token}`;

/** From a row of `users`. */
export const userAvatarUrlSql = (): SQL => sql`${below()}::text || ${users.avatar_token}`;

const below = (): string => `${apiUrlOfRequest()}/avatars/`;

const Put = z.object({ misplaced: z.int().nullable(), shown: z.string().nullable() });

/**
 * Null removes it. The previous URL stops working. 400 for another person's file or purpose. Returns the URL.
 */
export async function setAvatar(
  db: Db,
  actor: Actor,
  file: number | null,
  now: Date,
): Promise<{ avatar_url: string | null }> {
  const token = randomBytes(16).toString("base64url");
  const [put] = await rowsOf(
    db,
    Put,
    sql`
      select misplaced, shown from replace_avatar_or_logo(null, ${actor.id}, ${file}::bigint, ${token}, ${now.toISOString()})`,
  );
  if (put?.misplaced) throw nonexistentFileBadRequest(put.misplaced);
  return { avatar_url: avatarUrl(put?.shown ?? null) };
}
