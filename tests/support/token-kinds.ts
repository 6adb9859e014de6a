import { sql } from "drizzle-orm";
import type { TokenReach } from "../../lib/platform/secrets/tokens.ts";
import { userUniversityRoles } from "../../schema/db/identity/roles.ts";
import { apiKeyScopes } from "../../schema/enums.ts";
import { makersOf } from "./makers.ts";
import type { Holder } from "./university.ts";
import type { World } from "./world.ts";

/** A caller by a kind of token other than one for the whole account. */
export type TokenHolder = Holder & { reach?: TokenReach; headers?: Record<string, string> };

type University = { scope: { university_id: number }; elsewhere: number };

/**
 * Administrators of both universities with tokens that reach only the other one: by its provider, by a launch
 * of an LMS, by an API key, and a whole token that the university withholds, because it requires its own
 * provider.
 */
export async function limitedOutsiders(
  world: World,
  { scope, elsewhere }: University,
): Promise<TokenHolder[]> {
  const make = makersOf(world);
  const { db } = world.deps;
  const here = scope.university_id;
  const administrator = async (name: string): Promise<Holder> => {
    const { id } = await make.person();
    const role = { user_id: id, role: "UNIVERSITY_ADMIN" as const };
    await db.insert(userUniversityRoles).values([
      { ...role, university_id: here },
      { ...role, university_id: elsewhere },
    ]);
    return { id, name, held: { role: "university_admin", university_id: elsewhere, department_id: null } };
  };
  const course = await make.course(elsewhere);
  const offering = await make.offering(course);
  const inOffering = { university_id: elsewhere, offering_id: offering.id, course_id: course.id };
  const keyMaker = world.as(await make.holder("university_admin", elsewhere));
  const { body } = await keyMaker.post(`/universities/${elsewhere}/api-keys`, {
    ...{ name: "All scopes", scopes: apiKeyScopes, expires_at: "2027-03-01T00:00:00Z" },
  });
  const holders: TokenHolder[] = [
    { ...(await administrator("by the university's provider")), reach: { university_id: elsewhere } },
    { ...(await administrator("by a launch of an LMS")), reach: inOffering },
    { ...(await administrator("by an API key")), headers: { authorization: `Bearer ${body.key}` } },
    await administrator("withheld"),
  ];
  await db.execute(sql`update universities set requires_own_provider = true where id = ${here}`);
  return holders;
}
