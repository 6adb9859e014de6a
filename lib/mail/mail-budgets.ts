import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { requestFacts } from "../async/request-context.ts";
import type { Config } from "../config.ts";

/** How many mails may be caused in an hour; 0 is no limit. */
export type MailBudgets = Pick<
  Config,
  "INVITATIONS_PER_HOUR" | "UNIVERSITY_INVITATIONS_PER_HOUR" | "ACCOUNT_MAILS_PER_HOUR"
>;

/** Counts an invitation by a person and by their university, in the statement that makes it; beyond the limit that is a 429. */
export function spendInvitation(budgets: MailBudgets, inviter: number, university: SQLWrapper): SQL {
  const moment = sql`sent_at(${requestFacts()}::jsonb)`;
  return sql`(
    select spend_limit('invitations by person ' || ${inviter}::int, ${budgets.INVITATIONS_PER_HOUR}, ${moment}),
           spend_limit('invitations of university ' || ${university}, ${budgets.UNIVERSITY_INVITATIONS_PER_HOUR}, ${moment}))`;
}

/** Counts a mail about an account by the caller's network, and says when it is due: above the limit in a later hour. */
export const accountMailDue = (budgets: Pick<MailBudgets, "ACCOUNT_MAILS_PER_HOUR">): SQL => sql`
  account_mail_due(${budgets.ACCOUNT_MAILS_PER_HOUR}, ${requestFacts()}::jsonb)`;
