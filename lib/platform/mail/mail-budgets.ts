import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Config } from "../../config.ts";
import { requestAuditJson } from "../async/request-context.ts";

/** Per hour; 0 means no limit. */
export type MailBudgets = Pick<
  Config,
  "INVITATIONS_PER_HOUR" | "UNIVERSITY_INVITATIONS_PER_HOUR" | "ACCOUNT_MAILS_PER_HOUR"
>;

/** Counts for sender and university, in the inserting statement. Throws 429 above a limit. */
export function consumeInvitationBudgetSql(
  budgets: MailBudgets,
  inviter: number,
  university: SQLWrapper,
): SQL {
  const moment = sql`request_time(${requestAuditJson()}::jsonb)`;
  return sql`(
    select consume_rate_limit_or_raise('invitations by person ' || ${inviter}::int, ${budgets.INVITATIONS_PER_HOUR}, ${moment}),
           consume_rate_limit_or_raise('invitations of university ' || ${university}, ${budgets.UNIVERSITY_INVITATIONS_PER_HOUR}, ${moment}))`;
}

/** Counts an account mail for the caller's network. The due time is a later hour above the limit. */
export const reserveAccountMailTimeSql = (budgets: Pick<MailBudgets, "ACCOUNT_MAILS_PER_HOUR">): SQL => sql`
  reserve_account_mail_time_of_network(${budgets.ACCOUNT_MAILS_PER_HOUR}, ${requestAuditJson()}::jsonb)`;
