import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { originPattern } from "../../../schema/api/integrations/lti.ts";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { LtiRefusal } from "./refusals.ts";

const KnownPlatform = z.object({
  id: z.int(),
  university_id: z.int(),
  name: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  auth_login_url: z.string(),
  jwks_url: z.string(),
  frame_origins: z.array(z.string()),
  staff_by_institution_role: z.boolean(),
});

export type KnownPlatform = z.output<typeof KnownPlatform>;

/** Rejects unregistered platforms, and ambiguous ones without a client id. */
export async function findPlatformForLogin(
  db: ReadDb,
  universityId: number,
  issuer: string,
  clientId: string | undefined,
): Promise<KnownPlatform> {
  const found = await platformsWhere(
    db,
    universityId,
    sql`one.issuer = ${issuer} and one.client_id = coalesce(${clientId ?? null}, one.client_id) limit 2`,
  );
  if (found.length > 1) throw new LtiRefusal("several_platforms");
  return found[0] ?? refuseUnknown();
}

/** Rejects a platform that was removed since the launch started. */
export async function findPlatformForLaunch(
  db: ReadDb,
  universityId: number,
  platformId: number,
): Promise<KnownPlatform> {
  const [found] = await platformsWhere(db, universityId, sql`one.id = ${platformId}`);
  return found ?? refuseUnknown();
}

/** The framing platform, by id alone: it grants no rights. 404 if there is none. */
export async function findFramingPlatform(db: ReadDb, platformId: number): Promise<KnownPlatform> {
  const [found] = await platformsWhere(db, null, sql`one.id = ${platformId}`);
  if (!found) throw notFound("LTI platform");
  return found;
}

function refuseUnknown(): never {
  throw new LtiRefusal("unknown_platform");
}

const platformsWhere = (db: ReadDb, universityId: number | null, condition: SQL): Promise<KnownPlatform[]> =>
  rowsOf(
    db,
    KnownPlatform,
    sql`select one.id, one.university_id, one.name, one.issuer, one.client_id, one.auth_login_url, one.jwks_url,
               one.frame_origins, one.staff_by_institution_role
        from lti_platforms as one join universities as university on university.id = one.university_id
        where one.university_id = coalesce(${universityId}::int, one.university_id) and university.is_active and ${condition}`,
  );

/** Drops values that are not plain origins: they could end the CSP directive. */
export function allowedFrameOrigins({
  frame_origins,
  issuer,
  auth_login_url,
}: Pick<KnownPlatform, "frame_origins" | "issuer" | "auth_login_url">): string[] {
  const named = frame_origins.length > 0 ? frame_origins : [issuer, auth_login_url].map(originOrEmpty);
  return [...new Set(named)].filter((origin) => originPattern.test(origin));
}

/** Empty if the address is invalid. */
export const originOrEmpty = (address: string): string =>
  URL.canParse(address) ? new URL(address).origin : "";
