import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";
import { forbidden } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { type TokenLimits, withheldUniversityReason } from "./token-reach.ts";

/** A university that requires its own identity provider, as JSON, from a row `university`. */
export const universityRequiringProviderJsonSql: SQL = sql`json_build_object('university_id', university.id, 'university', university.name, 'provider', (
  select string_agg(label, ' / ' order by label) from identity_providers where university_id = university.id))`;

export const UniversityRequiringProviderRow = z.object({
  university_id: z.int(),
  university: z.string(),
  provider: z.string().nullable(),
});

/** 403 for a university outside of the token's reach, with its identity provider if required. */
export async function throwOutOfTokenReach(
  db: Db,
  { reach }: TokenLimits,
  university: SQLWrapper | number,
): Promise<never> {
  if (reach) throw forbidden(reach.offering_id ? "launch_out_of_reach" : "university_out_of_reach");
  const [row] = await rowsOf(
    db,
    z.object({ asking: UniversityRequiringProviderRow }),
    sql`select ${universityRequiringProviderJsonSql} as asking from universities as university
        where university.id = ${university} and university.requires_own_provider`,
  );
  throw row
    ? forbidden("own_provider_required", { reasons: withheldUniversityReason(row.asking) })
    : forbidden();
}
