-- The service's clock, as its database reads it. Every moment that a rule or a report looks at, and every one that is
-- written down for people, is of this clock; leases and signs of life are between machines, and use PostgreSQL's own.
--
-- A connection is told by its start (`CLOCK_OFFSET`) how far the clock is moved, which is never so in production: there
-- each costs a look at that setting more than `now()` and `clock_timestamp()` do.

create or replace function clock_offset() returns interval language sql stable parallel safe as $$
  select case when current_setting('service.clock_offset', true) <> ''
    then current_setting('service.clock_offset')::interval else interval '0' end
$$;

-- When the transaction began.
create or replace function service_now() returns timestamptz language sql stable parallel safe as $$
  select now() + clock_offset()
$$;

-- This very moment, where others that were waited for may have come between.
create or replace function service_clock() returns timestamptz language sql volatile parallel safe as $$
  select clock_timestamp() + clock_offset()
$$;
