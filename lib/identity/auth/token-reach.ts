import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { forbidden } from "../../errors.ts";
import type { TokenReach } from "../../platform/secrets/tokens.ts";
import type { HeldRole } from "../rbac/policy.ts";

/*
 * A token's reach is applied after the person is read, so the cache holds people and not sessions. Most
 * tokens reach everything and add no condition.
 */

export type UniversityRequiringProvider = {
  university_id: number;
  university: string;
  provider: string | null;
};

export type SuspendingUniversity = Pick<UniversityRequiringProvider, "university_id" | "university">;

export type TokenLimits = {
  reach?: TokenReach | undefined;
  /**
   * Managed accounts belong to one university and sign in only through its providers. Null if the token is not
   * limited to a university: it does not need the value.
   */
  only_university_id?: number | null;
  /** Outside of the token's reach: they require another provider or have suspended the person. */
  withheld?: readonly (UniversityRequiringProvider | SuspendingUniversity)[];
};

/** Universities that require another sign-in or have suspended the person; none for a platform_admin. */
export function universitiesDeniedToToken(
  reach: TokenReach | undefined,
  roles: readonly HeldRole[],
  asking: readonly UniversityRequiringProvider[],
  suspending: readonly SuspendingUniversity[] = [],
): readonly (UniversityRequiringProvider | SuspendingUniversity)[] {
  const isPlatformAdmin = !reach && roles.some(({ role }) => role === "platform_admin");
  if (isPlatformAdmin) return [];
  return [...suspending, ...asking.filter(({ university_id }) => university_id !== reach?.university_id)];
}

export function rolesInTokenReach(
  roles: readonly HeldRole[],
  { reach, withheld = [] }: TokenLimits,
): readonly HeldRole[] {
  // An LTI launch has only the role it grants, regardless of the person's others.
  if (reach?.offering_id) return roles.filter(({ offering_id }) => offering_id === reach.offering_id);
  if (reach)
    return roles.filter(
      ({ role, university_id }) => role !== "platform_admin" && university_id === reach.university_id,
    );
  if (withheld.length === 0) return roles;
  return roles.filter(({ university_id }) => !withheld.some((one) => one.university_id === university_id));
}

/** Otherwise `tokenReachCondition` is undefined. */
export const isTokenLimited = ({ reach, withheld = [] }: TokenLimits): boolean =>
  reach !== undefined || withheld.length > 0;

/** The whole account, or one that belongs to the university it reaches. Never true for LTI launches. */
export const tokenReachesWholeAccount = ({ reach, only_university_id }: TokenLimits): boolean =>
  !reach || (!reach.offering_id && reach.university_id === only_university_id);

/** For data rights (export and erasure), which LTI launches have too. */
export const tokenReachesOwnData = ({ reach, only_university_id }: TokenLimits): boolean =>
  !reach || reach.university_id === only_university_id;

export function ensureTokenReachesWholeAccount(caller: TokenLimits): void {
  if (!tokenReachesWholeAccount(caller)) throw forbidden("account_out_of_reach");
}

/** The token reaches the person's data at that university, or at none. In an offering: that offering. */
export function tokenReachesUniversity(
  caller: TokenLimits,
  universityId: number | null,
  offeringId?: number,
): boolean {
  const { reach, withheld = [] } = caller;
  if (universityId === null) return tokenReachesWholeAccount(caller);
  if (reach?.offering_id) return reach.offering_id === offeringId;
  if (reach) return reach.university_id === universityId;
  return !withheld.some(({ university_id }) => university_id === universityId);
}

/** An LTI launch reaches only its offering or course, and no other rows. */
type Within = { offering: SQLWrapper } | { course: SQLWrapper };

/** A condition on rows. Undefined if the token reaches everything. */
export function tokenReachCondition(
  caller: TokenLimits,
  university: SQLWrapper,
  within?: Within,
): SQL | undefined {
  if (!isTokenLimited(caller)) return undefined;
  const { reach, withheld = [] } = caller;
  if (reach?.offering_id) return isWithin(reach, within);
  if (reach)
    return sql`coalesce(${university} = ${reach.university_id}::int, ${tokenReachesWholeAccount(caller)}::boolean)`;
  const ids = withheld.map(({ university_id }) => university_id);
  return sql`coalesce(${university} <> all(${sql.param(ids)}::int[]), true)`;
}

function isWithin({ offering_id, course_id }: TokenReach, within: Within | undefined): SQL {
  if (!within) return sql`false`;
  return "offering" in within
    ? sql`coalesce(${within.offering} = ${offering_id}::int, false)`
    : sql`coalesce(${within.course} = ${course_id}::int, false)`;
}

/**
 * Universities where the token is valid, including those that the person may still join. For existing data
 * use `tokenReachCondition`.
 */
export function tokenAdmittedAtUniversityCondition(
  { id, reach, roles }: TokenLimits & { id: number; roles: readonly HeldRole[] },
  university: SQLWrapper,
  within?: Within,
) {
  if (reach?.offering_id) return isWithin(reach, within);
  if (reach) return sql`${university} = ${reach.university_id}::int`;
  if (roles.some(({ role }) => role === "platform_admin")) return sql`true`;
  return sql`not exists (
    select from universities as token_university where token_university.id = ${university}
      and (token_university.requires_own_provider or is_suspended(token_university.id, ${id})))`;
}

/*
 * Callers' SQL is placed inside these subqueries, so aliases must not collide. Only this file's begin with
 * `token_`.
 */

export const offeringInTokenReachCondition = (caller: TokenLimits, offering: SQLWrapper): SQL | undefined =>
  ifLimited(
    tokenReachCondition(caller, sql`token_offering.university_id`, { offering: sql`token_offering.id` }),
    (condition) => sql`exists (
    select from course_offerings as token_offering where token_offering.id = ${offering} and ${condition})`,
  );

/** By a content item's id. No item counts as no university. */
export const itemInTokenReachCondition = (caller: TokenLimits, item: SQLWrapper): SQL | undefined =>
  tokenReachCondition(
    caller,
    sql`(select token_item.university_id from content_items as token_item where token_item.id = ${item})`,
    {
      course: sql`(select token_item.course_id from content_items as token_item where token_item.id = ${item})`,
    },
  );

export type PersonInTokenReach = TokenLimits & { id: number | Placeholder };

/** Null for an offering out of reach. */
export const personIdIfOfferingInTokenReachSql = (
  caller: PersonInTokenReach,
  offering: SQLWrapper | number,
): SQL =>
  ifLimited(
    tokenReachCondition(caller, sql`token_offering.university_id`, { offering: sql`token_offering.id` }),
    (condition) =>
      sql`(select ${caller.id}::int from course_offerings as token_offering where token_offering.id = ${offering} and ${condition})`,
  ) ?? sql`${caller.id}`;

export const personIdIfItemInTokenReachSql = (caller: PersonInTokenReach, item: SQLWrapper | number): SQL =>
  ifLimited(
    tokenReachCondition(caller, sql`token_item.university_id`, { course: sql`token_item.course_id` }),
    (condition) =>
      sql`(select ${caller.id}::int from content_items as token_item where token_item.id = ${item} and ${condition})`,
  ) ?? sql`${caller.id}`;

export const personIdIfModuleInTokenReachSql = (
  caller: PersonInTokenReach,
  module: SQLWrapper | number,
): SQL =>
  ifLimited(
    tokenReachCondition(caller, sql`token_course.university_id`, { course: sql`token_course.id` }),
    (condition) => sql`(
      select ${caller.id}::int from modules as token_module join courses as token_course on token_course.id = token_module.course_id
      where token_module.id = ${module} and ${condition})`,
  ) ?? sql`${caller.id}`;

const ifLimited = (condition: SQL | undefined, made: (condition: SQL) => SQL): SQL | undefined =>
  condition && made(condition);

/** Names the required provider or the suspension. */
export const withheldUniversityReason = (
  withheld: UniversityRequiringProvider | SuspendingUniversity,
): string =>
  "provider" in withheld ? asksForProvider(withheld) : `${withheld.university} has suspended you`;

const asksForProvider = ({ university, provider }: UniversityRequiringProvider): string =>
  `${university} requires a sign-in with its own identity provider${provider ? `, ${provider}` : ""}`;
