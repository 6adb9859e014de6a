import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Undefined without a group. Another offering's group matches no one: the caller may lack access to it. */
export const groupMemberCondition = (
  group: number | undefined,
  offering: SQLWrapper,
  person: SQLWrapper,
): SQL | undefined =>
  group === undefined
    ? undefined
    : sql`exists (
        select from offering_group_members as grouped
        where grouped.group_id = ${group} and grouped.course_offering_id = ${offering} and grouped.user_id = ${person})`;
