-- Days are in UTC, except in a university's own report (university-days.sql).

create or replace function utc_day(moment timestamptz) returns date language sql immutable as $$
  select (moment at time zone 'UTC')::date
$$;

create or replace function utc_midnight(day date) returns timestamptz language sql immutable as $$
  select day::timestamp at time zone 'UTC'
$$;
