import { and, eq, type SQL, sql } from "drizzle-orm";
import type { NamedPerson } from "../../schema/api/named-person.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { HttpError, notFound } from "../errors.ts";
import { personVisibleTo } from "./visibility.ts";

/**
 * The person whom a body names, as a query of `id`, `email` and `full_name`: by id they are there for those who may see
 * them alone, so that nobody reaches strangers by guessing. By e-mail address anyone is, and their name stays theirs.
 */
export const namedPerson = (actor: Actor, named: NamedPerson): SQL => sql`
  select id, email, case when ${personVisibleTo(actor)} then full_name end as full_name
  from users where ${isNamed(actor, named)}`;

/** Whether a body names an address, and beside it stands no `person` (`namedPerson`): they can be invited alone. */
export const isUnknownAddress = ({ email }: NamedPerson): SQL =>
  email === undefined ? sql`false` : sql`not exists (select from person)`;

/** Throws a 404 unless there is such a person. */
export async function refuseUnknownPerson(db: Db, actor: Actor, named: NamedPerson): Promise<void> {
  const [person] = await db.select({ id: users.id }).from(users).where(isNamed(actor, named));
  if (person) return;
  if (named.user_id !== undefined) throw notFound("User");
  throw new HttpError(404, "No user has this email: they need to register first, or to be invited");
}

const isNamed = (actor: Actor, { user_id, email = "" }: NamedPerson): SQL | undefined =>
  user_id === undefined ? eq(users.email, email) : and(eq(users.id, user_id), personVisibleTo(actor));
