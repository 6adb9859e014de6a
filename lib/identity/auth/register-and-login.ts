import { eq, inArray, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  Credentials,
  DemonstrationAccount,
  OnboardingRegistration,
  Registration,
} from "../../../schema/api/identity/auth.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import type { Config } from "../../config.ts";
import {
  badRequest,
  inactiveUniversityError,
  inactiveUserError,
  invalidField,
  unauthorized,
} from "../../errors.ts";
import { noteOnRequest, requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { reserveAccountMailTimeSql } from "../../platform/mail/mail-budgets.ts";
import type { Actor } from "./actor.ts";
import type { SignInDevice } from "./device.ts";
import { onlyInactiveUniversitiesCondition } from "./only-inactive-universities.ts";
import { hashPassword, verifyPassword } from "./password-hashes.ts";
import {
  ensureNewPasswordAllowedAndLong,
  ensurePasswordSignInEnabled,
  ensureUnguessablePassword,
  type PasswordPolicy,
} from "./password-policy.ts";
import {
  auditFailedSignIn,
  auditSignInAndResetFailures,
  countSignInAttemptSql,
  resetSignInFailures,
  type SignInLimitSettings,
  throwTooManyAttempts,
} from "./sign-in-limit.ts";

const NewPerson = z.object({ id: z.int() });

type Settings = PasswordPolicy & Pick<Config, "BCRYPT_COST">;
type RegistrationSettings = Settings & Pick<Config, "ACCOUNT_MAILS_PER_HOUR">;

export async function isEmailAvailable(db: Db, email: string): Promise<boolean> {
  const found = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  return found.length === 0;
}

/** Anyone may sign in as one of them. */
export async function findDemonstrationAccounts(
  db: ReadDb,
  { DEMONSTRATION_ACCOUNTS: accounts }: Pick<Config, "DEMONSTRATION_ACCOUNTS">,
): Promise<DemonstrationAccount[]> {
  if (accounts.length === 0) return [];
  const emails = accounts.map(({ email }) => email);
  const found = await db.select({ email: users.email }).from(users).where(inArray(users.email, emails));
  const known = new Set(found.map(({ email }) => email));
  return accounts
    .filter(({ email }) => known.has(email))
    .map(({ role, ...account }) => ({
      ...account,
      role: role.toUpperCase() as DemonstrationAccount["role"],
    }));
}

/**
 * 400 `Email already registered` for all but the first concurrent caller, 403 if passwords are off, 422 if it
 * is too short or easy to guess.
 */
export async function register(
  db: Db,
  config: RegistrationSettings,
  input: Registration,
  now: Date,
): Promise<number> {
  await ensureNewPassword(config, input);
  noteOnRequest({ account: input.email });
  const hash = await hashPassword(input.password, config.BCRYPT_COST);
  const statement = sql`
    with person as (${insertPerson(input, hash)}), noted as (${verificationMail(config, now)})
    select id from person, ${firstSignIn()}`;
  const [person] = await rowsOf(db, NewPerson, statement);
  return idOf(person);
}

async function ensureNewPassword(
  config: Settings,
  { password, email, full_name }: Registration,
): Promise<void> {
  ensureNewPasswordAllowedAndLong(config, password);
  await ensureUnguessablePassword(config, password, [email, full_name]);
}

const insertPerson = (
  { email, full_name, locale = "en", time_zone = "UTC" }: Registration,
  hash: string,
): SQL => sql`
  insert into users (email, full_name, locale, time_zone, password_hash)
  values (${email}, ${full_name}, ${locale}, ${time_zone}, ${hash})
  on conflict (email) do nothing
  returning id, email`;

/** Part of the statement that inserts `person`. */
const verificationMail = (config: RegistrationSettings, now: Date): SQL => sql`
  insert into mail_outbox (kind, address, user_id, created_at, due_at, from_address, from_network, from_person)
  select 'verify_email', email, id, ${now.toISOString()}, ${reserveAccountMailTimeSql(config)}, request ->> 'from',
         request ->> 'network', id
  from person, (select ${requestAuditJson()}::jsonb as request) as request
  on conflict (kind, address) where ended_at is null
  do update set user_id = excluded.user_id, from_address = excluded.from_address`;

const firstSignIn = (): SQL =>
  sql`audit('sign_in', person.id, person.id, null, '{}', ${requestAuditJson()}::jsonb) as audited`;

/**
 * Profile and subject preferences in one statement. An unknown subject is a 400 and rolls everything back. A
 * date of birth from today (UTC) on is a 422.
 */
export async function registerWithOnboarding(
  db: Db,
  config: RegistrationSettings,
  input: OnboardingRegistration,
  now: Date,
): Promise<number> {
  await ensureNewPassword(config, input);
  const born = input.profile?.date_of_birth;
  if (born && born >= now.toISOString().slice(0, 10))
    throw invalidField(["profile", "date_of_birth"], "Input should be in the past");
  noteOnRequest({ account: input.email });
  const hash = await hashPassword(input.password, config.BCRYPT_COST);
  const subjects = [...new Set(input.subject_preferences ?? [])];
  const statement = sql`
    with person as (
      ${insertPerson(input, hash)}
    ), noted as (
      ${verificationMail(config, now)}
    ), profile as (
      insert into user_profiles (user_id, date_of_birth, learning_goal, study_level, grade)
      select id, ${born ?? null}::date, ${input.profile?.learning_goal ?? null},
             ${input.profile?.study_level ?? null}, ${input.profile?.grade ?? null}
      from person
    ), preferences as (
      insert into user_subject_preferences (user_id, subject_id)
      select person.id, subject_id from person, unnest(${sql.param(subjects)}::int[]) as subject_id
    )
    select id from person, ${firstSignIn()}`;
  const [person] = await rowsOf(db, NewPerson, statement);
  return idOf(person);
}

const Account = z.object({
  id: z.int().nullable(),
  password_hash: z.string().nullable(),
  is_active: z.boolean().nullable(),
  token_version: z.int().nullable(),
  is_shut_out: z.boolean(),
  refused_until: StoredInstant.nullable(),
});

export type SignedInUser = { id: number; token_version: number };

/**
 * 401: wrong credentials. 403: inactive account, learner of inactive universities only, or passwords are off.
 * 429: too many failures of device or network.
 */
export async function verifyPasswordLogin(
  db: Db,
  config: Settings & SignInLimitSettings,
  { email, password }: Credentials,
  device: SignInDevice | undefined,
  now: Date,
): Promise<SignedInUser> {
  const attempt = { email, device };
  ensurePasswordSignInEnabled(config);
  noteOnRequest({ account: email });
  const [account] = await rowsOf(
    db,
    Account,
    sql`select id, password_hash, is_active, token_version, ${onlyInactiveUniversitiesCondition(sql`id`)} as is_shut_out, attempt.refused_until
        from (select ${countSignInAttemptSql(config, attempt, now)} as refused_until) as attempt
        left join users on email = ${email}`,
  );
  if (account?.refused_until) throwTooManyAttempts(new Date(toInstant(account.refused_until)), now);
  const matches = await verifyPassword(password, account?.password_hash, config.BCRYPT_COST);
  if (!matches || !account?.id) {
    await auditFailedSignIn(db, email);
    throw unauthorized("incorrect_email_or_password");
  }
  if (!account.is_active || account.is_shut_out) {
    await resetSignInFailures(db, config, attempt);
    throw account.is_active ? inactiveUniversityError() : inactiveUserError();
  }
  await auditSignInAndResetFailures(db, config, account.id, attempt);
  return { id: account.id, token_version: account.token_version ?? 0 };
}

const ShutOut = z.object({ is_shut_out: z.boolean() });

/** 403 for a learner of inactive universities only. */
export async function ensureNotOnlyInactiveUniversities(
  db: Db,
  { id, roles }: Pick<Actor, "id" | "roles">,
): Promise<void> {
  if (roles.some(({ role }) => role !== "student")) return;
  const [row] = await rowsOf(
    db,
    ShutOut,
    sql`select ${onlyInactiveUniversitiesCondition(sql`${id}::int`)} as is_shut_out`,
  );
  if (row?.is_shut_out) throw inactiveUniversityError();
}

function idOf(row: { id: number } | undefined): number {
  if (!row) throw badRequest("email_taken");
  return row.id;
}
