import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { UniversityLooks } from "../../schema/api/looks.ts";
import { apiOfRequest } from "../async/request-context.ts";
import type { Actor } from "../auth/actor.ts";
import { shadesOf } from "./shades.ts";

type Stored = { color: string | null; logo_token: string | null };

/** Where a logo is read, of the token that is kept with its university; null where there is none. */
export const logoUrl = (token: string | null): string | null => token && `${apiOfRequest()}/logos/${token}`;

/** What is answered of a university's logo and color. */
export const looksOf = ({ color, logo_token }: Stored) => ({
  logo_url: logoUrl(logo_token),
  shades: color === null ? null : shadesOf(color),
});

const Row = z.object({
  university_id: z.int(),
  name: z.string(),
  color: z.string().nullable(),
  logo_token: z.string().nullable(),
});

/**
 * The row of the one university whose member someone is, or which their sign-in reaches, as JSON for `looksIn`; null with
 * none or several.
 */
export const memberLooks = (actor: Actor): SQL => {
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

/** What is answered of that row. */
export function looksIn(stored: unknown): UniversityLooks | null {
  const row = Row.nullable().parse(stored ?? null);
  return row && { university_id: row.university_id, name: row.name, ...looksOf(row) };
}
