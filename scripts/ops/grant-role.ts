import { and, eq, isNull, sql } from "drizzle-orm";
import type { Config } from "../../lib/config.ts";
import { createFrontendLinkBuilder } from "../../lib/identity/accounts/frontend-link.ts";
import { hashOfToken, newToken } from "../../lib/identity/accounts/one-time-tokens.ts";
import { grantRoleWithoutActor } from "../../lib/identity/universities/roles.ts";
import type { Db } from "../../lib/platform/db/client.ts";
import { Email } from "../../schema/api/platform/email.ts";
import { countries } from "../../schema/db/identity/countries.ts";
import { userUniversityRoles } from "../../schema/db/identity/roles.ts";
import { universities } from "../../schema/db/identity/universities.ts";
import { users } from "../../schema/db/identity/users.ts";
import { type Role, roles } from "../../schema/enums.ts";

export type RoleRequest = Record<"email" | "role" | "shortCode", string | undefined>;

const usage = "npm run grant-role -- <email> <role> [university short code]";

/** The default university of platform administrators; it has no courses. */
const platform = { short_code: "PLATFORM", name: "Platform administration" };

export type Links = { config: Pick<Config, "FRONTEND_URL" | "PUBLIC_URL" | "PORT">; now: Date };

/**
 * Grants a role in a university and describes the result; idempotent. An address without an account gets an
 * offer with a link; a repeated call replaces it. Only a platform_admin needs no university: the default is
 * `PLATFORM`, created if missing.
 */
export async function grantRoleTo(db: Db, request: RoleRequest, links: Links): Promise<string> {
  const { email, role, shortCode } = checked(request);
  const user_id = await findAccount(db, email);
  const university = shortCode ? await findUniversity(db, shortCode) : await platformUniversity(db);
  const spelled = role.toUpperCase() as Uppercase<Role>;
  const held = `${role} of ${university.name} (${university.short_code})`;
  if (user_id !== undefined && (await isHeld(db, user_id, university.id, spelled)))
    return `${email} is ${held} already`;
  if (!university.is_active)
    throw new Error(
      `${university.name} (${university.short_code}) is inactive, so no role can be granted there`,
    );
  if (user_id === undefined) {
    const link = await offer(db, { email, role, university_id: university.id }, links);
    return `${email} has no account yet. This link creates one, as ${held}. It is valid for seven days:\n\n${link}`;
  }
  await grantRoleWithoutActor(db, { user_id, university_id: university.id, role: spelled });
  return `${email} is now ${held}`;
}

function checked({ email, role: given, shortCode }: RoleRequest) {
  if (!email || !given) throw new Error(`Usage: ${usage}`);
  const role = roles.find((known) => known === given.toLowerCase());
  if (!role) throw new Error(`Unknown role '${given}'. Roles are ${roles.join(", ")}`);
  if (!shortCode && role !== "platform_admin") throw new Error(`A ${role} needs a university: ${usage}`);
  return { email: email.trim().toLowerCase(), role, shortCode };
}

async function findAccount(db: Db, email: string): Promise<number | undefined> {
  const [account] = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  return account?.id;
}

type Offer = { email: string; role: Role; university_id: number };

/** Offers a role to an address, and returns the link that accepts it, creating an account if needed. */
async function offer(db: Db, { email, role, university_id }: Offer, { config, now }: Links): Promise<string> {
  if (!Email.safeParse(email).success) throw new Error(`'${email}' is not an e-mail address`);
  const token = newToken();
  const facts = JSON.stringify({ at: now.toISOString() });
  await db.execute(sql`
    select invite(${university_id}, ${email}, ${JSON.stringify({ role, token_hash: hashOfToken(token) })}::jsonb, null,
      ${facts}::jsonb, 'installation')`);
  return createFrontendLinkBuilder(config)("/accept-invitation", token);
}

const universityColumns = {
  id: universities.id,
  name: universities.name,
  short_code: universities.short_code,
  is_active: universities.is_active,
};

async function findUniversity(db: Db, shortCode: string) {
  const bySameCode = eq(universities.short_code, shortCode);
  const [university] = await db.select(universityColumns).from(universities).where(bySameCode);
  if (!university) throw new Error(`No university has the short code ${shortCode}`);
  return university;
}

async function platformUniversity(db: Db) {
  const [country] = await db.select({ id: countries.id }).from(countries).where(eq(countries.iso_code, "GB"));
  if (country)
    await db
      .insert(universities)
      .values({ ...platform, country_id: country.id })
      .onConflictDoNothing();
  return findUniversity(db, platform.short_code);
}

async function isHeld(db: Db, userId: number, universityId: number, role: Uppercase<Role>): Promise<boolean> {
  const held = and(
    eq(userUniversityRoles.user_id, userId),
    eq(userUniversityRoles.university_id, universityId),
    eq(userUniversityRoles.role, role),
    isNull(userUniversityRoles.department_id),
  );
  return (await db.$count(userUniversityRoles, held)) > 0;
}
