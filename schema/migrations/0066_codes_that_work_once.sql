set local check_function_bodies = off;
--> statement-breakpoint
-- Forgets what is over, faster than it can come, and is waited for by nobody.
create or replace function forget_limits(moment timestamptz) returns void language sql as $$
  delete from rate_limits where name in (
    select name from rate_limits where ends_at <= moment order by ends_at limit 3 for update skip locked)
$$;
--> statement-breakpoint
-- Counts one more, unless it would be beyond the limit; whether it was counted. 0 is no limit.
create or replace function take_from_limit(the_name text, most integer, moment timestamptz) returns boolean
language plpgsql as $$
declare
  is_within boolean;
begin
  if most = 0 then return true; end if;
  insert into rate_limits as one (name, used, ends_at)
  values (the_name, 1, date_trunc('hour', moment, 'UTC') + interval '1 hour')
  on conflict (name) do update set
    used = case when one.ends_at <= moment then 1 else one.used + 1 end,
    ends_at = case when one.ends_at <= moment then excluded.ends_at else one.ends_at end
  where one.ends_at <= moment or one.used < most;
  is_within := found;
  perform forget_limits(moment);
  return is_within;
end $$;
--> statement-breakpoint
-- Whether this is the first time, of what may be done once and is no good any more an hour later: of two who do it at
-- once the later finds that it was done.
create or replace function take_once(the_name text, moment timestamptz) returns boolean language plpgsql as $$
declare
  is_first boolean;
begin
  insert into rate_limits (name, used, ends_at) values (the_name, 1, moment + interval '1 hour')
  on conflict (name) do nothing;
  is_first := found;
  perform forget_limits(moment);
  return is_first;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
