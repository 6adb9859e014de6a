-- Statements queue the mail that they cause.
--
-- Locks: none.

-- One queued mail per address is enough. `request` (audit.sql) gives the requester's fair turn.
create or replace function queue_mail(the_kind text, to_address text, person integer, request jsonb)
returns void language sql as $$
  insert into mail_outbox (kind, address, user_id, created_at, due_at, from_network, from_person)
  values (the_kind, to_address, person, request_time(request), request_time(request), request ->> 'network',
          (request ->> 'person')::int)
  on conflict (kind, address) where ended_at is null do update set user_id = excluded.user_id
$$;

-- A minute later, and an hour from the tenth mail before it.
create or replace function next_allowed_mail_at(the_kind text, to_address text, person integer, moment timestamptz)
returns timestamptz language sql stable as $$
  select greatest(moment, max(due_at) + interval '1 minute',
                  max(due_at) filter (where turn = 10) + interval '1 hour')
  from (
    select due_at, row_number() over (order by due_at desc) as turn from mail_outbox
    where kind = the_kind and (address = to_address or user_id = person)
    order by due_at desc limit 10
  ) as newest
$$;
