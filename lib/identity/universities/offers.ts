import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { InvitationCreate } from "../../../schema/api/courses/invitations.ts";
import { invitations } from "../../../schema/db/courses/invitations.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import { wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { consumeInvitationBudgetSql, type MailBudgets } from "../../platform/mail/mail-budgets.ts";
import type { Actor } from "../auth/actor.ts";

type GivenOffer = {
  role?: InvitationCreate["role"];
  department_id?: number | null;
  teaches?: boolean;
  override?: boolean;
  /** A row of `course_prerequisites`. */
  excusedFrom?: SQL;
  actor: Actor;
  budgets: MailBudgets;
};

/**
 * For each row `recipient` (`university_id`, `course_offering_id`, `email`) of a statement. It must be
 * materialized: nothing is offered before the row is known to exist.
 */
export const createOrRenewOffersQuery = ({
  role,
  department_id = null,
  teaches = false,
  override = false,
  excusedFrom = sql`null`,
  actor,
  budgets,
}: GivenOffer): SQL => sql`
  select (invited.invitation).*, is_new
  from recipient, lateral ${consumeInvitationBudgetSql(budgets, actor.id, sql`recipient.university_id`)} as spent, lateral invite(
    recipient.university_id, recipient.email, ${JSON.stringify({ role: role?.toLowerCase(), department_id, teaches, overrides: override })}::jsonb
      || jsonb_build_object('offering_id', recipient.course_offering_id, 'excused_from', ${excusedFrom}::course_prerequisites),
    ${actor.id}, ${requestAuditJson()}::jsonb) as invited`;

const made = alias(invitations, "made");

const offerColumns = {
  id: made.id,
  email: made.email,
  role: made.role,
  department_id: made.department_id,
  course_offering_id: made.course_offering_id,
  course_id: made.course_id,
  prerequisite_course_id: made.prerequisite_course_id,
  expires_at: made.expires_at,
};

export const createdOfferJsonSql = sql`(
  select json_build_object('offer', json_strip_nulls(row_to_json(item)))
  from (select ${wireColumnsSql(offerColumns)} from made) as item)`;
