-- The service's clock in the database, used by rules, reports and stored times. Leases and heartbeats are
-- between machines and use PostgreSQL's clock.
--
-- `CLOCK_OFFSET` moves the clock when a connection starts, never in production. There it only costs a read of
-- that setting.

create or replace function clock_offset() returns interval language sql stable parallel safe as $$
  select case when current_setting('service.clock_offset', true) <> ''
    then current_setting('service.clock_offset')::interval else interval '0' end
$$;

-- The transaction's start time.
create or replace function service_now() returns timestamptz language sql stable parallel safe as $$
  select now() + clock_offset()
$$;

-- The current time, which advances while the transaction waits.
create or replace function service_clock() returns timestamptz language sql volatile parallel safe as $$
  select clock_timestamp() + clock_offset()
$$;
