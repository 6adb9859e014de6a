set local check_function_bodies = off;
--> statement-breakpoint
-- Adds answers to an open attempt of the person's, by the ids of its questions, and with `ends` submits it. No row: it
-- is not theirs. `refusal` says why nothing was taken: 'submitted', 'time is up', 'not enrolled' any more, or 'no such
-- answer' with the question. Who submits again gets what the first time left. What someone leaves open who loses their
-- place is closed and graded when its time is up, and goes on when they are back before.
create or replace function answer_quiz_attempt(
  the_attempt integer, person integer, given jsonb, ends boolean, moment timestamptz, today date
) returns table (refusal text, question_id text, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  mine quiz_attempts;
begin
  select * into mine from quiz_attempts where id = the_attempt and user_id = person for update;
  if not found then return; end if;
  select response.key into question_id
  from jsonb_each(given) as response
  left join quiz_attempt_questions as drawn
    on drawn.quiz_attempt_id = the_attempt and drawn.question_id = response.key::int
  left join question_versions as asked on asked.question_id = drawn.question_id and asked.version = drawn.version
  where not coalesce(can_answer(asked.kind, asked.options_json, response.value), false) or asked.kind is null
  order by response.key::int limit 1;
  refusal := case
    when mine.timed_out or (mine.submitted_at is null and is_over(mine, moment)) then 'time is up'
    when mine.submitted_at is not null and not ends then 'submitted'
    when mine.submitted_at is null and not exists (
      select from enrollments
      where user_id = person and course_offering_id = mine.course_offering_id and is_admitted
    ) then 'not enrolled'
    when mine.submitted_at is null and question_id is not null then 'no such answer'
  end;
  perform close_quiz_attempt(the_attempt, moment);
  if refusal is null and mine.submitted_at is null then
    update quiz_attempts
    set raw_response_json = jsonb_strip_nulls(coalesce(raw_response_json, '{}') || given), saved_at = moment,
        submitted_at = case when ends then moment end, awaits_grading = ends
    where id = the_attempt;
    -- An autosave each few seconds is one activity in each minute of the attempt.
    if ends or minute_of(mine, moment) is distinct from minute_of(mine, mine.saved_at) then
      perform record_activity(person, case when ends then 'submitted' else 'attempted' end, 'content_item',
        mine.content_item_id, offering.university_id, mine.content_item_id, offering.id, moment, today)
      from course_offerings as offering where offering.id = mine.course_offering_id;
    end if;
    select * into mine from quiz_attempts where id = the_attempt;
  end if;
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
-- Notes a mail with a new token, where an account has the address. For any other address nothing is kept, and yet as much
-- is done, so that the time does not tell either: who asks for one address waits for who asked for it before, and what is
-- not worth a row is a message of its size in the write-ahead log, with which the transaction has as much to commit.
create or replace function ask_for_password_reset(asked text, moment timestamptz) returns void language plpgsql as $$
declare
  is_known boolean;
  is_due boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('password reset of an address', hashtextextended(asked, 0)));
  is_known := exists (select from users where email = asked and is_active);
  is_due := next_mail_at('password_reset', asked, null, moment) <= moment;
  insert into mail_outbox (kind, address, created_at, due_at)
  select 'password_reset', asked, moment, moment where is_known and is_due
  on conflict do nothing;
  if not found then perform pg_logical_emit_message(true, 'password_reset', repeat(' ', 255)); end if;
end $$;
--> statement-breakpoint
-- An attempt to sign in to an account, which may not exist, is counted before its password is looked at: however many
-- come at once, no more than `most` in a window go further. Answers until when nobody may, null for those who may. What
-- was counted of other accounts in windows that are over goes meanwhile, faster than it can come.
create or replace function begin_sign_in(account text, most integer, wait interval, moment timestamptz)
returns timestamptz language sql as $$
  delete from login_failures where account_hash in (
    select account_hash from login_failures where until <= moment and account_hash <> account
    order by until limit 3 for update skip locked);
  insert into login_failures as counted (account_hash, failures, until) values (account, 1, moment + wait)
  on conflict (account_hash) do update set
    failures = case when counted.until <= moment then 1 else least(counted.failures, most) + 1 end,
    until = case when counted.until <= moment then excluded.until else counted.until end
  returning case when failures > most then until end
$$;
--> statement-breakpoint
-- Has a link sent that shows whether mail to an address reaches a person. What waits for another address of theirs is not
-- sent any more, unless it has been tried, and then counts for the time of the next.
create or replace function mail_confirmation(the_kind text, to_address text, person integer, moment timestamptz)
returns void language plpgsql as $$
begin
  perform from users where id = person for no key update;
  delete from mail_outbox
  where user_id = person and kind = the_kind and address <> to_address and ended_at is null and tries = 0;
  insert into mail_outbox (kind, address, user_id, created_at, due_at)
  values (the_kind, to_address, person, moment, next_mail_at(the_kind, to_address, person, moment))
  on conflict (kind, address) where ended_at is null do update set user_id = excluded.user_id;
end $$;
--> statement-breakpoint
-- Has a mail sent about the invitations of an address that none has told of. One that is just being sent is made again,
-- since it may not have seen the newest: its sender finds that it lost the lease.
create or replace function mail_invitations(to_address text, moment timestamptz) returns void language sql as $$
  insert into mail_outbox as waiting (kind, address, created_at, due_at)
  values ('invitation', to_address, moment, next_mail_at('invitation', to_address, null, moment))
  on conflict (kind, address) where ended_at is null
  do update set tries = waiting.tries + (waiting.lease_until is not null)::int, lease_until = null
$$;
--> statement-breakpoint
-- When the next mail of a kind that anyone can cause may go to an address, or be sent for a person: a minute after the
-- last, and an hour after the tenth before it.
create or replace function next_mail_at(the_kind text, to_address text, person integer, moment timestamptz)
returns timestamptz language sql stable as $$
  select greatest(moment, max(due_at) + interval '1 minute',
                  max(due_at) filter (where turn = 10) + interval '1 hour')
  from (
    select due_at, row_number() over (order by due_at desc) as turn from mail_outbox
    where kind = the_kind and (address = to_address or user_id = person)
    order by due_at desc limit 10
  ) as newest
$$;
--> statement-breakpoint
set local check_function_bodies = on;
