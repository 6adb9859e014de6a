import { and, eq, isNull, sql } from "drizzle-orm";
import * as z from "zod";
import type { OwnRole, Profile, ProfileUpdate } from "../../../schema/api/identity/users.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { unauthorized } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { type Actor, profileColumns } from "../auth/actor.ts";
import { tokenReachesWholeAccount } from "../auth/token-reach.ts";
import { memberUniversityBrandingJsonSql, parseUniversityBranding } from "../looks/university-branding.ts";
import { avatarUrl } from "./avatar.ts";
import { currentStreak } from "./streak.ts";

/** With today's streak. Queries the database only if branding is requested. */
export async function readOwnProfile(
  db: ReadDb,
  actor: Actor,
  now: Date,
  { withLooks = false }: { withLooks?: boolean } = {},
): Promise<Profile> {
  if (!withLooks) return shown(actor, actor.profile, now);
  const [row] = await rowsOf(db, Looks, sql`select ${memberUniversityBrandingJsonSql(actor)} as looks`);
  return { ...shown(actor, actor.profile, now), looks: parseUniversityBranding(row?.looks) };
}

const Looks = z.object({ looks: z.unknown() });

/** Including those from teaching an offering. */
export const toOwnRoles = ({ roles }: Actor): OwnRole[] =>
  roles.map(({ role, course_id = null, offering_id = null, ...scope }) => ({
    ...scope,
    course_id,
    offering_id,
    role: role.toUpperCase() as OwnRole["role"],
  }));

/** Absent fields are unchanged. Returns the same as `readOwnProfile`. */
export async function updateProfile(
  db: Db,
  actor: Actor,
  change: ProfileUpdate,
  now: Date,
  { withLooks = false }: { withLooks?: boolean } = {},
): Promise<Profile> {
  if (Object.keys(change).length === 0) return readOwnProfile(db, actor, now, { withLooks });
  const [row] = await db
    .update(users)
    .set(change)
    .where(and(eq(users.id, actor.id), isNull(users.erased_at)))
    .returning(profileColumns);
  if (!row) throw unauthorized();
  return readOwnProfile(db, { ...actor, profile: row }, now, { withLooks });
}

function shown(actor: Actor, { avatar_token, ...profile }: Actor["profile"], now: Date): Profile {
  return {
    ...profile,
    current_streak_days: currentStreak(profile, now),
    avatar_url: avatarUrl(avatar_token),
    sign_in: reachOf(actor),
  };
}

/** A token that is limited to a university does not list others. */
function reachOf(actor: Actor): Profile["sign_in"] {
  const withheld = actor.reach ? [] : (actor.withheld ?? []);
  return {
    university_id: actor.reach?.university_id ?? null,
    course_offering_id: actor.reach?.offering_id ?? null,
    reaches_account: tokenReachesWholeAccount(actor),
    withheld: withheld.map((one) => ({
      university_id: one.university_id,
      university_name: one.university,
      is_suspended: !("provider" in one),
      provider: "provider" in one ? one.provider : null,
    })),
  };
}
