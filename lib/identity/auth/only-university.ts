import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * The only university of an account that signs in by its providers and LMSs alone. Null if the account has
 * another sign-in, or a role or enrollment elsewhere: a sign-in by these providers then does not reach the
 * whole account.
 */
export const onlyUniversityOfAccount = (person: SQLWrapper): SQL => sql`(
  select entered.university_id
  from (
    select min(way.university_id) as university_id
    from (
      select split_part(provider, '.', 1)::integer as university_id
      from user_identities where user_id = ${person} and provider like '%.%'
      union all
      select platform.university_id
      from lti_people as known join lti_platforms as platform on platform.id = known.platform_id
      where known.user_id = ${person}
    ) as way
    having count(distinct way.university_id) = 1
  ) as entered
  where not exists (select from users as account where account.id = ${person} and account.password_hash is not null)
    and not exists (select from user_identities where user_id = ${person} and provider not like '%.%')
    and not exists (
      select from known_people as known
      where known.user_id = ${person}
        and (known.university_id <> entered.university_id or known.role = 'platform_admin')))`;
