import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * Whether a person is in a group of an offering, for a filter; undefined without a group. One of another offering holds
 * nobody: whoever reads this offering need not read that.
 */
export const inGroup = (
  group: number | undefined,
  offering: SQLWrapper,
  person: SQLWrapper,
): SQL | undefined =>
  group === undefined
    ? undefined
    : sql`exists (
        select from offering_group_members as grouped
        where grouped.group_id = ${group} and grouped.course_offering_id = ${offering} and grouped.user_id = ${person})`;
