import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** A JSON list of the person's name and address, and the names of their universities. */
export const accountWordsForPasswordCheckJsonSql = (person: SQLWrapper): SQL => sql`(
  select jsonb_build_array(one.full_name, coalesce(one.email, '')) || coalesce((
    select jsonb_agg(concat_ws(' ', there.name, there.short_code, there.display_name)) from universities as there
    where there.id in (select known.university_id from known_people as known where known.user_id = one.id)), '[]')
  from users as one where one.id = ${person})`;
