-- Mail that is to be sent is noted by whatever statement gives the reason for it.
--
-- Locks: none.

-- One that waits for the same address is enough.
create or replace function send_mail(the_kind text, to_address text, person integer, moment timestamptz)
returns void language sql as $$
  insert into mail_outbox (kind, address, user_id, created_at, due_at)
  values (the_kind, to_address, person, moment, moment)
  on conflict (kind, address) where ended_at is null do update set user_id = excluded.user_id
$$;
