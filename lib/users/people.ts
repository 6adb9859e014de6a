import { and, eq } from "drizzle-orm";
import type { User, UserQuery } from "../../schema/api/users.ts";
import { accountEmail, users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { pageOf } from "../db/page.ts";
import { notFound } from "../errors.ts";
import type { ListPart } from "../results/list-page.ts";
import { orderOfPeople, peopleWanted } from "./listing.ts";
import { currentStreak } from "./streak.ts";
import { personVisibleTo } from "./visibility.ts";

export const userColumns = {
  id: users.id,
  email: accountEmail,
  full_name: users.full_name,
  locale: users.locale,
  time_zone: users.time_zone,
  is_active: users.is_active,
  current_streak_days: users.current_streak_days,
  last_activity_date: users.last_activity_date,
  created_at: users.created_at,
  updated_at: users.updated_at,
};

/** The people whom the caller may see and who are asked for. */
export async function listUsers(db: Db, actor: Actor, query: UserQuery, now: Date): Promise<ListPart<User>> {
  const page = pageOf(query, orderOfPeople(query.sort));
  const rows = await db
    .select({ ...userColumns, page_key: page.key })
    .from(users)
    .where(page.where(peopleWanted(actor, query)))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows).map((row) => shownUser(row, now));
}

/** A person; 404 when there is none that the caller may see. */
export async function getUser(db: Db, actor: Actor, userId: number, now: Date): Promise<User> {
  const [row] = await db
    .select(userColumns)
    .from(users)
    .where(and(eq(users.id, userId), personVisibleTo(actor)));
  if (!row) throw notFound("User");
  return shownUser(row, now);
}

type StoredUser = Pick<typeof users.$inferSelect, Exclude<keyof typeof userColumns, "email">> & {
  email: string;
};

/** A person with the streak as it stands today. */
export function shownUser({ last_activity_date, ...user }: StoredUser, now: Date): User {
  return { ...user, current_streak_days: currentStreak({ ...user, last_activity_date }, now) };
}
