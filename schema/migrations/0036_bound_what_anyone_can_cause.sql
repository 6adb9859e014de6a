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
-- was counted of other accounts in windows that are over goes then, faster than it can come, and is waited for by nobody.
create or replace function begin_sign_in(account text, most integer, wait interval, moment timestamptz)
returns timestamptz language plpgsql as $$
declare
  refused_until timestamptz;
begin
  insert into login_failures as counted (account_hash, failures, until) values (account, 1, moment + wait)
  on conflict (account_hash) do update set
    failures = case when counted.until <= moment then 1 else least(counted.failures, most) + 1 end,
    until = case when counted.until <= moment then excluded.until else counted.until end
  returning case when failures > most then until end into refused_until;
  delete from login_failures where account_hash in (
    select account_hash from login_failures where until <= moment order by until limit 3 for update skip locked);
  return refused_until;
end $$;
--> statement-breakpoint
-- People are enrolled as by staff, one after another, since places are given one after another; teachers teach.
create or replace function import_enrollments(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  asked record;
  known enrollments;
  refusal text;
  missing text;
  joining integer[];
begin
  perform hold_offerings(array(select offering from imported_places(import, batch) where offering is not null));
  -- In one order, since whoever becomes a member is locked for it.
  joining := array(
    select one.person from import_batch(import, batch) as one
    where not exists (
      select from university_members as member
      where member.university_id = import.university_id and member.user_id = one.person));
  perform from users where id = any (joining) order by id for share;
  for asked in
    select one.*, place.offering, place.is_coming as offering_is_coming, one.details ->> 'as' = 'teacher' as teaches
    from import_batch(import, batch) as one join imported_places(import, batch) as place on place.row_id = one.row_id
    order by one.row_id
  loop
    row_id := asked.row_id;
    person := asked.person;
    outcome := 'refused';
    reason := case
      when asked.has_other_address then 'The person with this sourced_id has another e-mail address'
      when asked.person is null and not asked.is_coming then 'There is no such person'
      when asked.offering is null and not asked.offering_is_coming then 'The university has no such offering' end;
    if reason is not null then
      return next;
      continue;
    end if;
    if asked.person is null or asked.offering is null then
      outcome := case when asked.is_deletion then 'unchanged' else 'created' end;
    elsif asked.teaches then
      if asked.is_deletion then
        delete from course_offering_instructors
        where course_offering_id = asked.offering and user_id = asked.person;
      else
        insert into course_offering_instructors (course_offering_id, user_id) values (asked.offering, asked.person)
        on conflict do nothing;
      end if;
      outcome := case when not found then 'unchanged' when asked.is_deletion then 'updated' else 'created' end;
    else
      select * into known from enrollments
      where course_offering_id = asked.offering and user_id = asked.person;
      if asked.is_deletion and known.status in ('active', 'pending', 'waitlisted') then
        perform set_enrollment_status(known.id, 'dropped', false, sent_at(request));
        outcome := 'updated';
      elsif asked.is_deletion or known.status <> 'dropped' then
        outcome := 'unchanged';
      else
        select placed.refusal, placed.missing into refusal, missing
        from enroll(asked.offering, asked.person, sent_at(request), null, import.created_by_user_id, import.overrides,
                    request) as placed;
        if refusal is null then
          outcome := case when known.id is null then 'created' else 'updated' end;
        else
          reason := refusal_in_words(refusal, missing);
        end if;
      end if;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- People are made, or found; found ones get the source's id, and the role of a student where they have nothing in the
-- university. Their name changes only as `may_rename` says, and their address, by which they sign in, never. Two rows of
-- one file never name the same person.
create or replace function import_people(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  made integer[];
  changed integer[];
  gone record;
  has_left boolean;
  leaving integer[];
  touched integer[];
begin
  leaving := array(select one.person from import_batch(import, batch) as one where one.is_deletion);
  perform hold_offerings(array(
    select course_offering_id from enrollments
    where user_id = any (leaving) and university_id = import.university_id
      and status in ('active', 'pending', 'waitlisted')));
  with fresh as (
    insert into users (email, full_name)
    select one.email, one.details ->> 'full_name' from import_batch(import, batch) as one
    where one.person is null and not one.is_deletion order by one.email
    on conflict (email) do nothing returning users.id
  )
  select coalesce(array_agg(id), '{}') into made from fresh;
  -- In one order, since whoever becomes a member is locked for it, and so is whoever is renamed.
  touched := array(
    select one.person from import_batch(import, batch) as one
    where not one.is_deletion and (
      not exists (
        select from university_members as member
        where member.university_id = import.university_id and member.user_id = one.person)
      or one.details ->> 'full_name' <> (select full_name from users where id = one.person)
        and may_rename(import.university_id, one.person)));
  perform from users where id = any (touched) order by id for no key update;
  with welcomed as (
    insert into user_university_roles (user_id, university_id, role)
    select one.person, import.university_id, 'student' from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and not exists (select from known_at(one.person) as known where known.university_id = import.university_id)
    on conflict do nothing returning user_university_roles.user_id
  )
  select coalesce(array_agg(user_id), '{}') into changed from welcomed;
  -- After that, since whoever belonged nowhere belongs here alone now: the same file would find it so.
  with listed as materialized (
    select one.* from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
  ), misnamed as materialized (
    select listed.person, listed.details ->> 'full_name' as name from listed join users on users.id = listed.person
    where users.full_name <> listed.details ->> 'full_name'
  ), renamed as (
    update users set full_name = misnamed.name, updated_at = service_now() from misnamed
    where users.id = misnamed.person and may_rename(import.university_id, misnamed.person)
    returning users.id
  ), sourced as (
    insert into sourced_people (university_id, sourced_id, user_id)
    select import.university_id, listed.sourced_id, listed.person from listed
    where listed.sourced_id is not null
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced) into changed;
  return query
  select one.row_id,
    case when one.has_other_address then 'refused' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change' end,
    one.person
  from import_batch(import, batch) as one where not one.is_deletion;
  for gone in select one.* from import_batch(import, batch) as one where one.is_deletion order by one.row_id loop
    row_id := gone.row_id;
    person := gone.person;
    outcome := 'refused';
    reason := null;
    if person is null then
      outcome := 'unchanged';
    elsif person = import.created_by_user_id then
      reason := 'Nobody removes themselves';
    else
      has_left := import_leaving(import, person, request);
      if has_left is null then
        reason := 'They hold a role that you may not revoke';
      else
        outcome := case when has_left then 'updated' else 'unchanged' end;
      end if;
    end if;
    return next;
  end loop;
end $$;
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
-- Puts a mail into the outbox for up to `most` people of whom something is due to go out, with all that is; answers how
-- many notifications are settled by it. While one waits for a person, and for five minutes after it was sent, what comes
-- meanwhile waits for the next: however much others say, nobody's mail is full of it. Two callers at once make one mail:
-- the second finds the first's in the outbox, or the notifications on their way.
create or replace function queue_notification_mail(moment timestamptz, most integer) returns integer
language plpgsql as $$
declare
  people integer[] := array(
    select distinct user_id from notifications as one
    where mail_due_at <= moment and not exists (
      select from mail_outbox as waiting
      where waiting.user_id = one.user_id and waiting.kind = 'notifications' and (
        waiting.ended_at is null or waiting.failure is null and waiting.ended_at > moment - interval '5 minutes')
    ) order by user_id limit most);
  settled integer;
begin
  with reader as (
    select id, email from users
    where id = any (people) and is_active and email_verified_at is not null
  ), queued as (
    insert into mail_outbox (kind, address, user_id, created_at, due_at)
    select 'notifications', email, id, moment, moment from reader order by id
    on conflict (kind, address) where ended_at is null do nothing
    returning id, user_id
  ), waiting as (
    select one.id, queued.id as mail_id
    from notifications as one
    left join reader on reader.id = one.user_id left join queued on queued.user_id = one.user_id
    where one.user_id = any (people) and one.mail_due_at <= moment and (reader.id is null or queued.id is not null)
    order by one.id for no key update of one
  )
  update notifications as one set mail_due_at = null, mail_id = waiting.mail_id
  from waiting where waiting.id = one.id;
  get diagnostics settled = row_count;
  return settled;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
