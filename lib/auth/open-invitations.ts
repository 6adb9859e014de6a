import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { requestFacts } from "../request-record.ts";

/** Whether something is offered to an address, which a sign-in that shows it to be the person's accepts. */
export const isInvited = (email: SQLWrapper, now: Date): SQL => sql`exists (
  select from invitations as offered
  where offered.email = ${email} and offered.accepted_at is null and offered.revoked_at is null
    and offered.expires_at > ${now.toISOString()}::timestamptz)`;

/**
 * Accepts what is offered to the verified address of a person, by all universities or one. A statement of its own: it
 * locks before it looks.
 */
export async function acceptInvitations(db: Db, person: number, onlyOf: number | null = null): Promise<void> {
  await db.execute(sql`select accept_invitations_of(${person}, ${requestFacts()}::jsonb, ${onlyOf})`);
}
