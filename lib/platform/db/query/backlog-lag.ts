import { sql } from "drizzle-orm";

/**
 * Lag of shared work, as `of` and `seconds`. `days`: since the last midnight counted for reports (up to 27
 * hours is normal). `feed`: since the oldest open write, which bounds event feeds. `passages`: since the
 * oldest passage without the newest embedding. Work that never ran has no row.
 */
export const backlogLagQuery = sql`
  select 'days' as of, extract(epoch from service_now() - begun_at)::float8 as seconds
  from scheduled_tasks where name = 'count' and begun_at > '2000-01-01'
  union all
  select 'feed', coalesce(extract(epoch from clock_timestamp() - min(xact_start)), 0)::float8
  from pg_stat_activity where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()
  union all
  select 'passages', coalesce(extract(epoch from service_now() - waiting.updated_at), 0)::float8
  from (select model, done_to from passage_vector_sweeps order by begun_at desc limit 1) as sweep
  left join lateral (
    select item.updated_at from passages as passage join content_items as item on item.id = passage.content_item_id
    where passage.id > sweep.done_to and not exists (
      select from passage_vectors as told where told.passage_id = passage.id and told.model = sweep.model)
    order by passage.id limit 1
  ) as waiting on true`;
