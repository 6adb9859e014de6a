import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import {
  Membership,
  type User,
  type UserQuery,
  type UserWithMemberships,
} from "../../../schema/api/identity/users.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import type { Actor } from "../auth/actor.ts";
import { permissionCondition } from "../rbac/scopes.ts";
import { avatarUrl } from "./avatar.ts";
import { peopleSortKeys, userOfUniversityCondition, userQueryCondition } from "./listing.ts";
import { latestExternalIdSql } from "./member-names.ts";
import { currentStreak } from "./streak.ts";
import { visiblePersonCondition } from "./visibility.ts";

export const userColumns = {
  id: users.id,
  email: users.email,
  full_name: users.full_name,
  locale: users.locale,
  time_zone: users.time_zone,
  is_active: users.is_active,
  current_streak_days: users.current_streak_days,
  last_activity_date: users.last_activity_date,
  created_at: users.created_at,
  updated_at: users.updated_at,
  avatar_token: users.avatar_token,
};

export const userColumnsWithMemberships = (actor: Actor) => ({
  ...userColumns,
  memberships: membershipsFor(actor),
});

/** In the universities where the caller is staff. */
const membershipsFor = (actor: Actor) => typedSql(z.array(Membership))`(
  select coalesce(json_agg(json_build_object(
      'university_id', university_id, 'external_id', ${latestExternalIdSql(sql`member.university_id`, sql`member.user_id`)},
      'given_name', given_name, 'family_name', family_name, 'source', upper(source), 'is_active', is_active)
    order by university_id), '[]')
  from university_members as member
  where user_id = users.id and ${permissionCondition(actor, "user:read", sql`member.university_id`)}
    and ${userOfUniversityCondition(sql`member.university_id`, sql`member.user_id`, {})})`;

export async function listUsers(
  db: ReadDb,
  actor: Actor,
  query: UserQuery,
  now: Date,
): Promise<ListPage<UserWithMemberships>> {
  const page = createPageQuery(query, peopleSortKeys(query));
  const rows = await db
    .select({ ...userColumnsWithMemberships(actor), page_key: page.key })
    .from(users)
    .where(page.where(userQueryCondition(actor, query)))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows).map((row) => toUserForReader(row, actor, now));
}

/** 404 if the caller may not see the person. */
export async function getUser(
  db: ReadDb,
  actor: Actor,
  userId: number,
  now: Date,
): Promise<UserWithMemberships> {
  const [row] = await db
    .select(userColumnsWithMemberships(actor))
    .from(users)
    .where(and(eq(users.id, userId), visiblePersonCondition(actor)));
  if (!row) throw notFound("User");
  return toUserForReader(row, actor, now);
}

type StoredUser = Pick<typeof users.$inferSelect, keyof typeof userColumns>;

/** People see only their own streak, which changes with anonymous work. */
export function toUserForReader<Person extends StoredUser>(
  { last_activity_date, avatar_token, current_streak_days, ...user }: Person,
  actor: Actor,
  now: Date,
): Omit<Person, "last_activity_date" | "avatar_token" | "current_streak_days"> &
  Pick<User, "current_streak_days" | "avatar_url"> {
  return {
    ...user,
    current_streak_days:
      user.id === actor.id ? currentStreak({ ...user, current_streak_days, last_activity_date }, now) : null,
    avatar_url: avatarUrl(avatar_token),
  };
}
