import { randomBytes } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { users } from "../../schema/db/users.ts";
import { apiOfRequest } from "../async/request-context.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { noSuchFile } from "../errors.ts";

/** Where a person's picture is read, of a token that is kept with them; null where there is none. */
export const avatarUrl = (token: string | null): string | null => token && `${below()}${token}`;

/** The same in SQL, of a row of `users`. */
export const avatarUrlOfUser = (): SQL => sql`${below()}::text || ${users.avatar_token}`;

const below = (): string => `${apiOfRequest()}/avatars/`;

const Put = z.object({ misplaced: z.int().nullable(), shown: z.string().nullable() });

/**
 * Shows a picture that the person sent in place of the one before, whose address ends; null shows none. 400 for a file
 * that is not theirs or for another purpose. Answers where it is read.
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
      select misplaced, shown from put_picture(null, ${actor.id}, ${file}::bigint, ${token}, ${now.toISOString()})`,
  );
  if (put?.misplaced) throw noSuchFile(put.misplaced);
  return { avatar_url: avatarUrl(put?.shown ?? null) };
}
