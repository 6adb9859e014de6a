-- How often something may be done in an hour of the clock, by person, university, network or whatever else it is counted
-- by; and what may be done once. Each is counted in the transaction that does it, so that of two who want the last the
-- later is refused.
--
-- Locks: the row of the limit, until the transaction ends. Whoever counts by several begins with the narrowest, and holds
-- nothing that others who count there wait for.

-- Forgets what is over, faster than it can come, and is waited for by nobody.
create or replace function prune_limits(moment timestamptz) returns void language sql as $$
  delete from rate_limits where name in (
    select name from rate_limits where ends_at <= moment order by ends_at limit 3 for update skip locked)
$$;

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
  perform prune_limits(moment);
  return is_within;
end $$;

-- Whether this is the first time, of what may be done once and is no good any more an hour later: of two who do it at
-- once the later finds that it was done.
create or replace function take_once(the_name text, moment timestamptz) returns boolean language plpgsql as $$
declare
  is_first boolean;
begin
  insert into rate_limits (name, used, ends_at) values (the_name, 1, moment + interval '1 hour')
  on conflict (name) do nothing;
  is_first := found;
  perform prune_limits(moment);
  return is_first;
end $$;

-- Whether nothing is left of a limit.
create or replace function is_limit_reached(the_name text, most integer, moment timestamptz) returns boolean
language sql stable as $$
  select exists (select from rate_limits where name = the_name and used >= most and ends_at > moment)
$$;

-- The same for what is not done at all beyond the limit: raises LIMIT, with the seconds until the next hour.
create or replace function spend_limit(the_name text, most integer, moment timestamptz) returns void language plpgsql as $$
begin
  if not take_from_limit(the_name, most, moment) then
    raise exception 'limit reached: %', the_name using errcode = 'LIMIT',
      detail = ceil(3600 - mod(extract(epoch from moment), 3600))::text;
  end if;
end $$;

-- Mails about accounts are links to set a password and to confirm an address. They are counted by the network of the
-- caller, if it is known. `request` is that of audit.sql.
-- When such a mail may be sent: now, or in the first hour that has fewer than `most`. The row counts the last of these hours,
-- which `ends_at` ends.
create or replace function account_mail_due(most integer, request jsonb) returns timestamptz language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
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
  perform prune_limits(moment);
  return due;
end $$;
