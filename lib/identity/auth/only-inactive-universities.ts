import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** A person may not sign in if none of their universities is active and they are staff of none. */
export const onlyInactiveUniversitiesCondition = (person: SQLWrapper): SQL => sql`(
  select coalesce(bool_and(not university.is_active and coalesce(known.role, 'student') = 'student'), false)
  from (select university_id, role from known_people where user_id = ${person}) as known
  join universities as university on university.id = known.university_id)`;
