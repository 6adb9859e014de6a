-- Days in a university's reports follow its time zone from the first midnight after it was set. Earlier days
-- follow the former zone, or UTC. Days are contiguous across clock and zone changes: a day may have 23 hours,
-- 25, or more, and each moment is in exactly one.

-- If clocks are set back over midnight, the earlier one; if forward, the moment of the change.
create or replace function first_moment_of_day(day date, zone text) returns timestamptz language sql stable parallel safe as $$
  select case when ((midnight - interval '1 hour') at time zone zone)::date = day then midnight - interval '1 hour'
    else midnight end
  from (select day::timestamp at time zone zone as midnight) as one
$$;

-- From the first moment of `from_day` to `ends_at`; `past_day` begins no earlier than that.
create or replace view university_zones as
  select university_id, from_day, time_zone, starts_at, lead(starts_at, 1, 'infinity') over later as ends_at,
         lead(from_day) over later as past_day
  from (
    select university_id, from_day, time_zone, first_moment_of_day(from_day, time_zone) as starts_at from university_time_zones
  ) as zone
  window later as (partition by university_id order by from_day);

-- UTC without a zone.
create or replace function day_in_zone(moment timestamptz, zone text, past_day date) returns date
language sql stable parallel safe as $$
  select coalesce(least((moment at time zone zone)::date, past_day - 1), utc_day(moment))
$$;

create or replace function university_day(university integer, moment timestamptz) returns date
language sql stable parallel safe as $$
  select coalesce(
    (select day_in_zone(moment, time_zone, past_day) from university_zones
     where university_id = university and moment >= starts_at and moment < ends_at),
    utc_day(moment))
$$;

-- A reactivated university fills its free seats. A new university's zone applies from the start, a changed zone
-- from the next midnight. A zone unknown to PostgreSQL counts as UTC, so it cannot break reports.
create or replace function universities_after_write() returns trigger language plpgsql as $$
declare
  zone text := new.time_zone;
  today date;
  latest university_time_zones;
begin
  if tg_op = 'UPDATE' and new.is_active and not old.is_active then
    perform fill_seats_after_reactivation(new.id, null);
  end if;
  if new.time_zone is not distinct from old.time_zone then return null; end if;
  begin
    today := (service_now() at time zone zone)::date;
  exception when invalid_parameter_value then
    zone := 'UTC';
    today := utc_day(service_now());
  end;
  delete from university_time_zones
  where university_id = new.id and first_moment_of_day(from_day, time_zone) > service_now();
  select * into latest from university_time_zones where university_id = new.id order by from_day desc limit 1;
  if coalesce(latest.time_zone, 'UTC') = zone then return null; end if;
  insert into university_time_zones (university_id, from_day, time_zone) values (new.id, '0001-01-01', 'UTC')
  on conflict do nothing;
  insert into university_time_zones (university_id, from_day, time_zone)
  values (new.id, case tg_op when 'INSERT' then today else greatest(today + 1, latest.from_day + 1) end, zone);
  return null;
end $$;

create or replace trigger universities_after_write after insert or update of time_zone, is_active on universities
  for each row execute function universities_after_write();
