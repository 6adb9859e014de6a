-- Hourly limits by person, university, network or other key, and single-use tokens. Each is counted in the
-- transaction that it limits, so the later of two concurrent callers is refused the last one.
--
-- Locks: the row of the limit, until the transaction ends. Callers count several limits from the narrowest,
-- without holding rows that other counters there wait for.

-- Faster than they arrive, without blocking others.
create or replace function delete_few_ended_rate_limits(moment timestamptz) returns void language sql as $$
  delete from rate_limits where name = any (array(
    select name from rate_limits where ends_at <= moment order by ends_at limit 3 for update skip locked))
$$;

-- Counts one use and returns true if the limit allows it. 0 is no limit.
create or replace function consume_rate_limit_unless_reached(the_name text, most integer, moment timestamptz) returns boolean
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
  perform delete_few_ended_rate_limits(moment);
  return is_within;
end $$;

-- Valid for an hour. The later of two concurrent callers gets false.
create or replace function claim_single_use_key_for_hour(the_name text, moment timestamptz) returns boolean language plpgsql as $$
declare
  is_first boolean;
begin
  insert into rate_limits (name, used, ends_at) values (the_name, 1, moment + interval '1 hour')
  on conflict (name) do nothing;
  is_first := found;
  perform delete_few_ended_rate_limits(moment);
  return is_first;
end $$;

-- Counts one use, or raises LIMIT with the seconds until the next hour.
create or replace function consume_rate_limit_or_raise(the_name text, most integer, moment timestamptz) returns void language plpgsql as $$
begin
  if not consume_rate_limit_unless_reached(the_name, most, moment) then
    raise exception 'limit reached: %', the_name using errcode = 'LIMIT',
      detail = ceil(3600 - mod(extract(epoch from moment), 3600))::text;
  end if;
end $$;

-- Links to set a password and confirm an address, counted by the caller's network if known. Returns now, or the
-- first hour with fewer than `most`. The row counts the last of these hours, ending at `ends_at`.
create or replace function reserve_account_mail_time_of_network(most integer, request jsonb) returns timestamptz language plpgsql as $$
declare
  moment timestamptz := request_time(request);
  due timestamptz;
begin
  if most = 0 or request ->> 'network' is null then return moment; end if;
  insert into rate_limits as one (name, used, ends_at)
  values ('mails about accounts from ' || (request ->> 'network'), 1, date_trunc('hour', moment, 'UTC') + interval '1 hour')
  on conflict (name) do update set
    used = case when one.ends_at <= moment or one.used >= most then 1 else one.used + 1 end,
    ends_at = case when one.ends_at <= moment then excluded.ends_at
                   when one.used >= most then one.ends_at + interval '1 hour' else one.ends_at end
  returning greatest(moment, ends_at - interval '1 hour') into due;
  perform delete_few_ended_rate_limits(moment);
  return due;
end $$;
