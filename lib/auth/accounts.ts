import { eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { Credentials, OnboardingRegistration, Registration } from "../../schema/api/auth.ts";
import { users } from "../../schema/db/users.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { badRequest, inactiveUser, invalidField, unauthorized } from "../errors.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";

const NewPerson = z.object({ id: z.int() });

type Cost = Pick<Config, "BCRYPT_COST">;

/** Whether no account has this address yet. */
export async function isEmailAvailable(db: Db, email: string): Promise<boolean> {
  const found = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  return found.length === 0;
}

/** Creates an account and answers its id; 400 `Email already registered` to all but the first who ask. */
export async function register(db: Db, config: Cost, input: Registration): Promise<number> {
  const { password, ...person } = input;
  const [row] = await db
    .insert(users)
    .values({ ...person, password_hash: await hashPassword(password, config.BCRYPT_COST) })
    .onConflictDoNothing({ target: users.email })
    .returning({ id: users.id });
  return idOf(row);
}

/**
 * Creates an account with its profile and subject preferences in one statement: an unknown subject is a 400
 * and leaves nothing behind; a date of birth that is not past, in UTC, is a 422.
 */
export async function registerWithOnboarding(
  db: Db,
  config: Cost,
  input: OnboardingRegistration,
  now: Date,
): Promise<number> {
  const born = input.profile?.date_of_birth;
  if (born && born >= now.toISOString().slice(0, 10))
    throw invalidField(["profile", "date_of_birth"], "Input should be in the past");
  const hash = await hashPassword(input.password, config.BCRYPT_COST);
  const subjects = [...new Set(input.subject_preferences ?? [])];
  const statement = sql`
    with person as (
      insert into users (email, full_name, locale, time_zone, password_hash)
      values (${input.email}, ${input.full_name}, ${input.locale ?? "en"}, ${input.time_zone ?? "UTC"}, ${hash})
      on conflict (email) do nothing
      returning id
    ), profile as (
      insert into user_profiles (user_id, date_of_birth, learning_goal, study_level, grade)
      select id, ${born ?? null}::date, ${input.profile?.learning_goal ?? null},
             ${input.profile?.study_level ?? null}, ${input.profile?.grade ?? null}
      from person
    ), preferences as (
      insert into user_subject_preferences (user_id, subject_id)
      select person.id, subject_id from person, unnest(${sql.param(subjects)}::int[]) as subject_id
    )
    select id from person`;
  const [person] = await rowsOf(db, NewPerson, statement);
  return idOf(person);
}

/** The id of the account with these credentials; 401 for a wrong pair, 403 for an inactive account. */
export async function login(db: Db, config: Cost, { email, password }: Credentials): Promise<number> {
  const [account] = await db
    .select({ id: users.id, password_hash: users.password_hash, is_active: users.is_active })
    .from(users)
    .where(eq(users.email, email));
  const matches = await verifyPassword(password, account?.password_hash, config.BCRYPT_COST);
  if (!account || !matches) throw unauthorized("Incorrect email or password");
  if (!account.is_active) throw inactiveUser();
  return account.id;
}

function idOf(row: { id: number } | undefined): number {
  if (!row) throw badRequest("Email already registered");
  return row.id;
}
