import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { UniversityLooks } from "../../../schema/api/identity/looks.ts";
import { apiUrlOfRequest } from "../../platform/async/request-context.ts";
import type { Actor } from "../auth/actor.ts";
import { computeBrandShades } from "./shades.ts";

type Stored = { color: string | null; logo_token: string | null };

export const logoUrl = (token: string | null): string | null =>
  token && `${apiUrlOfRequest()}/logos/${token}`;

export const logoUrlAndShades = ({ color, logo_token }: Stored) => ({
  logo_url: logoUrl(logo_token),
  shades: color === null ? null : computeBrandShades(color),
});

const Row = z.object({
  university_id: z.int(),
  name: z.string(),
  color: z.string().nullable(),
  logo_token: z.string().nullable(),
});

/** The university of the person (or their session's reach) as JSON for `looksIn`; null unless exactly one. */
export const memberUniversityBrandingJsonSql = (actor: Actor): SQL => {
  const only = actor.reach?.university_id;
  return sql`(
    select case when count(*) = 1 then json_agg(member_of) -> 0 end
    from (
      select university.id as university_id, coalesce(university.display_name, university.name) as name,
        university.color, university.logo_token
      from university_members as member join universities as university on university.id = member.university_id
      where member.user_id = ${actor.id} and university.is_active
        ${only ? sql`and university.id = ${only}` : sql``}
      limit 2
    ) as member_of)`;
};

export function parseUniversityBranding(stored: unknown): UniversityLooks | null {
  const row = Row.nullable().parse(stored ?? null);
  return row && { university_id: row.university_id, name: row.name, ...logoUrlAndShades(row) };
}
