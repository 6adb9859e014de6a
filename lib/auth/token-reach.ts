import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { forbidden } from "../errors.ts";
import type { HeldRole } from "../rbac/policy.ts";
import type { Reach } from "../secrets/tokens.ts";

/*
 * How far a token reaches is applied to the roles and to what is the person's own after both are read, so that who is
 * remembered is the person and never one of their sign-ins. Most tokens reach everything, and then no condition is added.
 */

/** A university that asks for a sign-in by its own provider, of which the caller is one of its people. */
export type OwnProvider = { university_id: number; university: string; provider: string | null };

/** A university that has suspended the caller. */
export type Suspending = Pick<OwnProvider, "university_id" | "university">;

/** What limits a caller. */
export type Limits = {
  /** What alone the token reaches. */
  reach?: Reach | undefined;
  /** The university to which alone the account belongs, and by whose providers alone it is entered. */
  only_university_id?: number | null;
  /** The universities that the token does not reach: they ask for a sign-in by their own provider, or suspend the person. */
  withheld?: readonly (OwnProvider | Suspending)[];
};

/**
 * The universities that ask for their own provider and do not get it by this token, and those that suspend the person.
 * They bind no platform_admin.
 */
export function withheldFrom(
  reach: Reach | undefined,
  roles: readonly HeldRole[],
  asking: readonly OwnProvider[],
  suspending: readonly Suspending[] = [],
): readonly (OwnProvider | Suspending)[] {
  const isPlatformAdmin = !reach && roles.some(({ role }) => role === "platform_admin");
  if (isPlatformAdmin) return [];
  return [...suspending, ...asking.filter(({ university_id }) => university_id !== reach?.university_id)];
}

/** The roles that count by a token. */
export function rolesInReach(
  roles: readonly HeldRole[],
  { reach, withheld = [] }: Limits,
): readonly HeldRole[] {
  // A launch acts with what it gives, whatever the person is elsewhere.
  if (reach?.offering_id) return roles.filter(({ offering_id }) => offering_id === reach.offering_id);
  if (reach)
    return roles.filter(
      ({ role, university_id }) => role !== "platform_admin" && university_id === reach.university_id,
    );
  if (withheld.length === 0) return roles;
  return roles.filter(({ university_id }) => !withheld.some((one) => one.university_id === university_id));
}

/**
 * Whether the token reaches the whole of the account, or the account is in the one university that it reaches; a launch
 * never does.
 */
export const reachesAccount = ({ reach, only_university_id }: Limits): boolean =>
  !reach || (!reach.offering_id && reach.university_id === only_university_id);

/** The same for what the person has a right to however they come: a copy of all that is theirs, and to have it erased. */
export const reachesOwnData = ({ reach, only_university_id }: Limits): boolean =>
  !reach || reach.university_id === only_university_id;

/** Throws 403 unless the token reaches the whole account. */
export function ensureReachesAccount(caller: Limits): void {
  if (!reachesAccount(caller)) throw forbidden("account_out_of_reach");
}

/** Whether the token reaches what is a person's own at that university, or at none; of an offering's, in that offering. */
export function reachesUniversity(caller: Limits, universityId: number | null, offeringId?: number): boolean {
  const { reach, withheld = [] } = caller;
  if (universityId === null) return reachesAccount(caller);
  if (reach?.offering_id) return reach.offering_id === offeringId;
  if (reach) return reach.university_id === universityId;
  return !withheld.some(({ university_id }) => university_id === universityId);
}

/** Where a row is further than at its university: of these a launch reaches the one that it is for, and nothing without. */
type Within = { offering: SQLWrapper } | { course: SQLWrapper };

/** The same as a condition on rows; undefined where the token reaches everything. */
export function inReach(caller: Limits, university: SQLWrapper, within?: Within): SQL | undefined {
  const { reach, withheld = [] } = caller;
  if (reach?.offering_id) return isWithin(reach, within);
  if (reach)
    return sql`coalesce(${university} = ${reach.university_id}::int, ${reachesAccount(caller)}::boolean)`;
  if (withheld.length === 0) return undefined;
  const ids = withheld.map(({ university_id }) => university_id);
  return sql`coalesce(${university} <> all(${sql.param(ids)}::int[]), true)`;
}

function isWithin({ offering_id, course_id }: Reach, within: Within | undefined): SQL {
  if (!within) return sql`false`;
  return "offering" in within
    ? sql`coalesce(${within.offering} = ${offering_id}::int, false)`
    : sql`coalesce(${within.course} = ${course_id}::int, false)`;
}

/**
 * Universities at which the caller's token counts, also where they are none of its people yet: a condition on its id.
 * Where there is something of theirs, `inReach` says the same of it.
 */
export function admitsToken(
  { id, reach, roles }: Limits & { id: number; roles: readonly HeldRole[] },
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
 * What a caller passes in stands inside these subqueries, so a name that the caller might use as well would capture it. The
 * aliases here begin with `token_`, and no other file uses such an alias.
 */

/** The same by the id of an offering. */
export const offeringInReach = (caller: Limits, offering: SQLWrapper): SQL | undefined =>
  ifLimited(
    inReach(caller, sql`token_offering.university_id`, { offering: sql`token_offering.id` }),
    (condition) => sql`exists (
    select from course_offerings as token_offering where token_offering.id = ${offering} and ${condition})`,
  );

/** The same by the id of a content item; of what has none as of what belongs to no university. */
export const itemInReach = (caller: Limits, item: SQLWrapper): SQL | undefined =>
  inReach(
    caller,
    sql`(select token_item.university_id from content_items as token_item where token_item.id = ${item})`,
    {
      course: sql`(select token_item.course_id from content_items as token_item where token_item.id = ${item})`,
    },
  );

type Person = Limits & { id: number };

/** The caller's id in an offering that their token reaches, and null, which is nobody's, in others. */
export const personInOffering = (caller: Person, offering: SQLWrapper | number): SQL =>
  ifLimited(
    inReach(caller, sql`token_offering.university_id`, { offering: sql`token_offering.id` }),
    (condition) =>
      sql`(select ${caller.id}::int from course_offerings as token_offering where token_offering.id = ${offering} and ${condition})`,
  ) ?? sql`${caller.id}`;

/** The same at a content item. */
export const personAtItem = (caller: Person, item: SQLWrapper | number): SQL =>
  ifLimited(
    inReach(caller, sql`token_item.university_id`, { course: sql`token_item.course_id` }),
    (condition) =>
      sql`(select ${caller.id}::int from content_items as token_item where token_item.id = ${item} and ${condition})`,
  ) ?? sql`${caller.id}`;

/** The same in a module. */
export const personInModule = (caller: Person, module: SQLWrapper | number): SQL =>
  ifLimited(
    inReach(caller, sql`token_course.university_id`, { course: sql`token_course.id` }),
    (condition) => sql`(
      select ${caller.id}::int from modules as token_module join courses as token_course on token_course.id = token_module.course_id
      where token_module.id = ${module} and ${condition})`,
  ) ?? sql`${caller.id}`;

/** What is made of a condition, if the token has any. */
const ifLimited = (condition: SQL | undefined, made: (condition: SQL) => SQL): SQL | undefined =>
  condition && made(condition);

/** What a refusal says to whom a university asks for a sign-in by its own provider. */
export const askedForProvider = (withheld: OwnProvider | Suspending): string =>
  "provider" in withheld ? asksForProvider(withheld) : `${withheld.university} has suspended you`;

const asksForProvider = ({ university, provider }: OwnProvider): string =>
  `${university} asks for a sign-in by its own identity provider${provider ? `, ${provider}` : ""}`;
