set local check_function_bodies = off;
--> statement-breakpoint
-- Gives a person who has its address what an invitation offers, as far as who made it may still give it. Answers why
-- not, and then gives nothing of it: `void` when it is none any more, or not theirs.
create or replace function accept_invitation(
  the_invitation integer, person integer, request jsonb, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
begin
  perform lock_invited_scopes(array[the_invitation]);
  select * into offer from invitations
  where id = the_invitation and accepted_at is null and revoked_at is null and expires_at > sent_at(request)
  for update;
  if offer.id is null or not exists (
    select from users where id = person and is_active and email = offer.email
  ) then
    refusal := 'void';
  elsif not (select is_active from universities where id = offer.university_id) then
    refusal := 'inactive_university';
  elsif offer.source = 'directory' then
    -- It is the directory's, whoever made the key: who may do without the key is asked of each request.
    if not exists (
      select from scim_users where university_id = offer.university_id and email = offer.email and is_active
    ) then
      refusal := 'withdrawn';
    end if;
  elsif offer.source <> 'installation' and (
      not exists (select from users where id = offer.invited_by_user_id and is_active)
      or offer.role is not null
        and not may_grant(offer.invited_by_user_id, offer.role, offer.university_id, offer.department_id)
      or offer.course_offering_id is not null and not exists (
        select from course_offerings as run
        where run.id = offer.course_offering_id and case when offer.teaches
          then is_instructor_of_offering(offer.invited_by_user_id, run.id)
          else is_staff_of_offering(offer.invited_by_user_id, run.id) end)) then
    refusal := 'withdrawn';
  elsif offer.course_offering_id is not null and not offer.teaches and not exists (
    select from enrollments
    where course_offering_id = offer.course_offering_id and user_id = person and status <> 'dropped'
  ) then
    -- Who is in two offerings of a course by the university's own records is so here.
    select placed.refusal, placed.missing into refusal, missing
    from enroll(offer.course_offering_id, person, sent_at(request), null, offer.invited_by_user_id, offer.overrides,
                request, offer.source = 'import') as placed;
  end if;
  if refusal is not null then return; end if;
  if offer.role is not null then
    insert into user_university_roles (user_id, university_id, role, department_id, by_directory)
    values (person, offer.university_id, offer.role, offer.department_id, offer.source = 'directory')
    on conflict do nothing;
    if found then
      perform audit('role.granted', offer.invited_by_user_id, person, offer.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', offer.role, 'department_id', offer.department_id, 'invitation_id', offer.id)),
        request);
    end if;
  end if;
  if offer.teaches then
    insert into course_offering_instructors (course_offering_id, user_id) values (offer.course_offering_id, person)
    on conflict do nothing;
  end if;
  insert into sourced_people (university_id, sourced_id, user_id)
  select offer.university_id, offer.sourced_id, person where offer.sourced_id is not null on conflict do nothing;
  update invitations set accepted_at = sent_at(request), accepted_by_user_id = person where id = offer.id;
  perform link_scim_user_of(offer.university_id, offer.email, person, offer.invited_by_user_id, request);
end $$;
--> statement-breakpoint
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
--> statement-breakpoint
-- Notes a mail with a new token, where an account has the address, unless more were asked for from the caller's network
-- within the hour than may be (rate-limits.sql). For any other address no mail is kept, and yet as much is done, so that
-- the time does not tell either: who asks for one address waits for who asked for it before, and what is not worth a row
-- is a message of its size in the write-ahead log, with which the transaction has as much to commit.
create or replace function ask_for_password_reset(asked text, most_of_network integer, request jsonb) returns void
language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
  is_known boolean;
  is_due boolean;
  sent_on timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('password reset of an address', hashtextextended(asked, 0)));
  is_known := exists (select from users where email = asked and is_active);
  is_due := next_mail_at('password_reset', asked, null, moment) <= moment;
  sent_on := account_mail_due(most_of_network, request);
  insert into mail_outbox (kind, address, created_at, due_at, from_network, from_person)
  select 'password_reset', asked, moment, sent_on, request ->> 'network', (request ->> 'person')::int
  where is_known and is_due
  on conflict do nothing;
  if not found then perform pg_logical_emit_message(true, 'password_reset', repeat(' ', 255)); end if;
end $$;
--> statement-breakpoint
-- Raises for an inactive university: nothing new is offered or given there.
create or replace function ensure_active(university integer) returns void language plpgsql as $$
begin
  if exists (select from universities where id = university and not is_active) then
    raise exception 'university % is inactive', university
      using errcode = 'check_violation', table = 'universities', constraint = 'university_is_active';
  end if;
end $$;
--> statement-breakpoint
-- True if a university has another administrator who can act, else raises. Two administrators who give up their roles at
-- the same time wait for each other here, and the second is refused.
create or replace function ensure_another_administrator(university integer, person integer) returns boolean
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('erasure of an administrator', 0));
  if not exists (
    select from user_university_roles as other join users on users.id = other.user_id
    where other.university_id = university and other.role = 'university_admin' and other.department_id is null
      and other.user_id <> person and users.is_active and not is_suspended(university, other.user_id)
  ) then
    raise exception 'the last administrator' using errcode = 'check_violation', constraint = 'last_administrator';
  end if;
  return true;
end $$;
--> statement-breakpoint
-- People are enrolled as by staff, one after another, since places are given one after another; teachers teach. Who is
-- in two offerings of a course by the university's own records is so here.
create or replace function import_enrollments(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  asked record;
  known enrollments;
  refusal text;
  missing text;
  joining integer[];
  offered jsonb;
begin
  perform lock_offerings(array(select offering from offerings_of_batch(import, batch) where offering is not null));
  offered := (
    select jsonb_object_agg(made_offer.row_id, made_offer.refusal) from (
      select one.row_id, coalesce(offer_by_import(
        import, one.address, given.sourced_id, null, null, place.offering, given.details ->> 'as' = 'teacher', request),
        '') as refusal
      from import_addressees(import, batch) as one join import_rows as given on given.id = one.row_id
      join offerings_of_batch(import, batch) as place on place.row_id = one.row_id where place.offering is not null
      order by one.address, one.row_id) as made_offer);
  -- In one order, since whoever becomes a member is locked for it.
  joining := array(
    select one.person from import_batch(import, batch) as one
    where not exists (
      select from university_members as member
      where member.university_id = import.university_id and member.user_id = one.person));
  perform from users where id = any (joining) order by id for share;
  for asked in
    select one.*, addressee.address, place.offering, place.is_coming as offering_is_coming,
      one.details ->> 'as' = 'teacher' as teaches
    from import_batch(import, batch) as one join offerings_of_batch(import, batch) as place on place.row_id = one.row_id
    left join import_addressees(import, batch) as addressee on addressee.row_id = one.row_id
    order by one.row_id
  loop
    row_id := asked.row_id;
    person := asked.person;
    outcome := 'refused';
    reason := case
      when asked.has_other_address then 'The person with this sourced_id has another e-mail address'
      when asked.person is null and not asked.is_coming and asked.address is null then 'There is no such person'
      when not asked.is_deletion and not (select is_active from universities where id = import.university_id)
        then 'University is inactive'
      when asked.offering is null and not asked.offering_is_coming then 'The university has no such offering'
      else nullif(offered ->> row_id::text, '') end;
    if reason is not null then
      return next;
      continue;
    end if;
    if asked.address is not null then
      outcome := 'offered';
    elsif asked.person is null or asked.offering is null then
      outcome := case when asked.is_deletion then 'unchanged' else 'created' end;
    elsif asked.teaches then
      if asked.is_deletion then
        delete from course_offering_instructors
        where course_offering_id = asked.offering and user_id = asked.person;
      else
        insert into course_offering_instructors (course_offering_id, user_id)
        select asked.offering, asked.person
        where not exists (
          select from course_offering_instructors as held
          where held.course_offering_id = asked.offering and held.user_id = asked.person)
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
                    request, true) as placed;
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
-- university, and people of elsewhere are offered that role. What the university calls them is written beside, unless its
-- staff have corrected that. The name of the account changes only as `may_rename` says, and its address, by which they sign
-- in, never. Two rows of one file never name the same person.
create or replace function import_people(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  made integer[];
  changed integer[];
  gone record;
  has_left boolean;
  leaving integer[];
  touched integer[];
  offered jsonb;
begin
  leaving := array(select one.person from import_batch(import, batch) as one where one.is_deletion);
  perform lock_offerings(array(
    select course_offering_id from enrollments
    where user_id = any (leaving) and university_id = import.university_id
      and status in ('active', 'pending', 'waitlisted')));
  with fresh as (
    insert into users (email, full_name, made_by_university_id)
    select one.email, one.details ->> 'full_name', import.university_id from import_batch(import, batch) as one
    where one.person is null and not one.is_deletion
      and (select is_active from universities where id = import.university_id)
    order by one.email
    on conflict (email) do nothing returning users.id
  )
  select coalesce(array_agg(id), '{}') into made from fresh;
  offered := (
    select jsonb_object_agg(made_offer.row_id, made_offer.refusal) from (
      select one.row_id, coalesce(offer_by_import(
        import, one.address, given.sourced_id, 'student', null, null, false, request), '') as refusal
      from import_addressees(import, batch) as one join import_rows as given on given.id = one.row_id
      order by one.address, one.row_id) as made_offer);
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
      and (select is_active from universities where id = import.university_id)
      and not is_named_otherwise(import.university_id, one.person, 'import', one.details)
      and not exists (select from known_at(one.person) as known where known.university_id = import.university_id)
    on conflict do nothing returning user_university_roles.user_id
  )
  select coalesce(array_agg(user_id), '{}') into changed from welcomed;
  -- After that, since whoever belonged nowhere belongs here alone now: the same file would find it so.
  with listed as materialized (
    select one.* from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and not is_named_otherwise(import.university_id, one.person, 'import', one.details)
  ), named as (
    update university_members as member set given_name = listed.details ->> 'given_name',
      family_name = listed.details ->> 'family_name', source = 'import'
    from listed
    where member.university_id = import.university_id and member.user_id = listed.person
      and num_nonnulls(listed.details ->> 'given_name', listed.details ->> 'family_name') > 0
      and coalesce(member.source, 'import') = 'import'
      and (member.given_name, member.family_name, member.source) is distinct from (
        listed.details ->> 'given_name', listed.details ->> 'family_name', 'import')
    returning member.user_id
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
    where listed.sourced_id is not null and not exists (
      select from sourced_people as known
      where known.university_id = import.university_id and known.sourced_id = listed.sourced_id)
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced union select user_id from named)
  into changed;
  return query
  select one.row_id,
    case when one.has_other_address or offered ->> one.row_id::text <> '' or judged.is_named or judged.comes_too_late then 'refused'
         when offered ? one.row_id::text then 'offered' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change'
         when judged.is_named and judged.source = 'directory'
         then 'The directory has named this person, and goes on to do so until staff release it'
         when judged.is_named then 'Staff have corrected the name of this person, and it changes once they release it'
         when judged.comes_too_late then 'University is inactive'
         else nullif(offered ->> one.row_id::text, '') end,
    one.person
  from import_batch(import, batch) as one
  cross join lateral (
    select is_named_otherwise(import.university_id, one.person, 'import', one.details) as is_named,
      not (select is_active from universities where id = import.university_id)
        and not exists (select from known_at(one.person) as known where known.university_id = import.university_id) as comes_too_late, (
      select member.source from university_members as member
      where member.university_id = import.university_id and member.user_id = one.person) as source) as judged
  where not one.is_deletion;
  for gone in select one.* from import_batch(import, batch) as one where one.is_deletion order by one.row_id loop
    row_id := gone.row_id;
    person := gone.person;
    outcome := 'refused';
    reason := null;
    if person is null then
      update invitations as one set revoked_at = sent_at(request)
      where one.university_id = import.university_id and one.source = 'import'
        and (one.email = gone.email or one.sourced_id = gone.sourced_id)
        and one.accepted_at is null and one.revoked_at is null;
      outcome := case when found then 'updated' else 'unchanged' end;
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
-- Roles are granted and revoked in the importer's name, each as far as they may.
create or replace function import_roles(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language sql as $$
  with judged as materialized (
    select one.*, one.details ->> 'role' as role, department.id as department_id,
      row_number() over (
        partition by one.person, one.details ->> 'role', department.id, one.is_deletion order by one.row_id) as nth,
      case when one.has_other_address then 'The person with this sourced_id has another e-mail address'
           when one.person is null and not one.is_coming and addressee.address is null then 'There is no such person'
           when one.details ->> 'department_code' is not null and department.id is null
             then 'The university has no department with this code'
           when one.is_deletion and one.person = import.created_by_user_id then 'Nobody removes themselves'
           when not one.is_deletion and not (select is_active from universities where id = import.university_id)
             then 'University is inactive'
           when not may_grant(import.created_by_user_id, one.details ->> 'role', import.university_id, department.id)
             then 'You may not grant or revoke this role' end as refusal, addressee.address
    from import_batch(import, batch) as one
    left join import_addressees(import, batch) as addressee on addressee.row_id = one.row_id
    left join departments as department
      on department.university_id = import.university_id and department.code = one.details ->> 'department_code'
  ), offered as materialized (
    select judged.row_id, offer_by_import(
      import, judged.address, judged.sourced_id, judged.role, judged.department_id, null, false, request) as refusal
    from judged where judged.refusal is null and judged.address is not null
    order by judged.address, judged.row_id
  ), granted as (
    insert into user_university_roles (user_id, university_id, role, department_id)
    select distinct on (judged.person, judged.role, judged.department_id)
      judged.person, import.university_id, judged.role, judged.department_id
    from judged where judged.refusal is null and judged.person is not null and not judged.is_deletion
      -- After the offers, whose mails are locked before people.
      and (select count(*) from offered) >= 0 and not exists (
        select from user_university_roles as held
        where held.user_id = judged.person and held.university_id = import.university_id and held.role = judged.role
          and held.department_id is not distinct from judged.department_id)
    order by judged.person, judged.role, judged.department_id
    on conflict do nothing returning user_university_roles.*
  ), revoked as (
    delete from user_university_roles as held using judged
    where judged.refusal is null and judged.is_deletion and held.user_id = judged.person
      and held.university_id = import.university_id and held.role = judged.role
      and held.department_id is not distinct from judged.department_id
    returning held.*
  ), changed as (
    select 'role.granted' as action, granted.* from granted union all select 'role.revoked', revoked.* from revoked
  ), audited as materialized (
    select audit(changed.action, import.created_by_user_id, changed.user_id, changed.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', changed.role, 'department_id', changed.department_id, 'import_id', import.id)),
      request)
    from changed
  )
  select judged.row_id,
    case when coalesce(judged.refusal, offered.refusal) is not null then 'refused'
         when offered.row_id is not null then 'offered'
         when judged.is_deletion and changed.id is not null then 'updated'
         when changed.id is not null or judged.is_coming and not judged.is_deletion then 'created'
         else 'unchanged' end,
    coalesce(judged.refusal, offered.refusal), judged.person
  from judged left join offered on offered.row_id = judged.row_id
  left join changed on judged.refusal is null and judged.nth = 1 and changed.user_id = judged.person
    and changed.role = judged.role and changed.department_id is not distinct from judged.department_id
  -- PostgreSQL runs a select that nothing reads not at all.
  where (select count(*) from audited) >= 0
$$;
--> statement-breakpoint
-- Offers, or renews the same open offer in the name of who asks now. `is_new` says which. With `passes` the place is given
-- whatever the window, the prerequisites and the capacity say; `the_sourced_id` is that of an import.
create or replace function invite(
  university integer, to_address text, the_role text, department integer, offering integer, as_instructor boolean,
  inviter integer, request jsonb, passes boolean default false, the_source text default 'operation',
  the_sourced_id text default null, out invitation invitations, out is_new boolean
) language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
  offered record;
begin
  perform ensure_active(university);
  insert into invitations as one
    (university_id, email, role, department_id, course_offering_id, teaches, invited_by_user_id, created_at,
     expires_at, overrides, source, sourced_id)
  values (university, to_address, the_role, department, offering, as_instructor, inviter, moment,
          case when the_source = 'directory' then timestamptz '9999-12-31 00:00:00Z' else moment + interval '7 days' end,
          passes, the_source, the_sourced_id)
  on conflict (university_id, email, coalesce(role, ''), coalesce(department_id, 0), coalesce(course_offering_id, 0),
               teaches)
    where accepted_at is null and revoked_at is null
  do update set invited_by_user_id = inviter, mail_id = null, overrides = excluded.overrides,
    -- What the directory offers lasts as long as its record, whoever offers it again.
    expires_at = case when one.source = 'directory' then one.expires_at else excluded.expires_at end,
    source = case when one.source = 'directory' then one.source else excluded.source end,
    sourced_id = coalesce(excluded.sourced_id, one.sourced_id)
  returning one, one.xmax = 0 as is_new into offered;
  invitation := offered.one;
  is_new := offered.is_new;
  perform mail_invitations(to_address, request);
  perform audit('invitation.sent', inviter, null, university, jsonb_strip_nulls(jsonb_build_object(
    'invitation_id', invitation.id, 'role', the_role, 'department_id', department, 'course_offering_id', offering,
    'teaches', nullif(as_instructor, false))), request);
end $$;
--> statement-breakpoint
-- Has a link sent that shows whether mail to an address reaches a person. What waits for another address of theirs is not
-- sent any more, unless it has been tried, and then counts for the time of the next. Above the limit of the caller's
-- network the mail waits (`account_mail_due`).
create or replace function mail_confirmation(
  the_kind text, to_address text, person integer, most_of_network integer, request jsonb
) returns void language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
begin
  perform from users where id = person for no key update;
  delete from mail_outbox
  where user_id = person and kind = the_kind and address <> to_address and ended_at is null and tries = 0;
  insert into mail_outbox (kind, address, user_id, created_at, due_at, from_address, from_network, from_person)
  values (the_kind, to_address, person, moment,
          greatest(next_mail_at(the_kind, to_address, person, moment), account_mail_due(most_of_network, request)),
          request ->> 'from',
          request ->> 'network', (request ->> 'person')::int)
  on conflict (kind, address) where ended_at is null
  do update set user_id = excluded.user_id, from_address = excluded.from_address;
end $$;
--> statement-breakpoint
-- A person's notifications that still tell something: what they are about is published, said and open to them.
create or replace function notifications_of(person integer, moment timestamptz)
returns table (
  id bigint, kind text, created_at timestamptz, read_at timestamptz, mail_id bigint, university_id integer,
  course_offering_id integer, content_item_id integer, announcement_id integer, thread_id integer, post_id bigint,
  due_at timestamptz, title text, by_name text
) language sql stable as $$
  select one.id, one.kind, one.created_at, one.read_at, one.mail_id, coalesce(said.university_id, run.university_id),
         one.course_offering_id, one.content_item_id, one.announcement_id, post.thread_id, post.id, one.due_at,
         coalesce(said.title, thread.title, item.title, course.title,
                  rollout.prompt_name || ' ' || rollout.candidate_version),
         case when one.kind = 'announcement' then coalesce(announcer.full_name, course.title, university.name)
              else writer.full_name end
  from notifications as one
  left join course_offerings as run on run.id = one.course_offering_id
  left join courses as course on course.id = run.course_id
  left join content_items as item on item.id = one.content_item_id
  left join announcements as said on said.id = one.announcement_id
  left join users as announcer on announcer.id = said.created_by_user_id and announcer.erased_at is null
  left join universities as university on university.id = said.university_id
  left join discussion_posts as post on post.id = one.discussion_post_id
  left join discussion_threads as thread on thread.id = post.thread_id
  left join users as writer on writer.id = post.user_id
  left join prompt_rollouts as rollout on rollout.id = one.prompt_rollout_id
  where one.user_id = person and case case one.kind when 'private_message' then 'discussion_reply' else one.kind end
    when 'announcement' then said.published_at <= moment
      and (said.course_offering_id is null or takes_part(person, said.course_offering_id))
    when 'discussion_reply' then not post.is_deleted and not post.is_hidden and is_thread_open_to(person, post.thread_id)
    when 'due_soon' then is_item_public(one.content_item_id)
    when 'tutor_handover' then not post.is_deleted and is_staff_of_offering(person, one.course_offering_id)
    else true
  end
$$;
--> statement-breakpoint
-- Offers what a row says, unless the same offer is open; answers why not, where it was declined.
create or replace function offer_by_import(
  import imports, address text, the_sourced_id text, the_role text, department integer, offering integer,
  as_instructor boolean, request jsonb
) returns text language plpgsql as $$
declare
  known invitations;
begin
  if not (select is_active from universities where id = import.university_id) then return 'University is inactive'; end if;
  select * into known from invitations as one
  where one.university_id = import.university_id and one.email = address and one.role is not distinct from the_role
    and one.department_id is not distinct from department and one.course_offering_id is not distinct from offering
    and one.teaches = as_instructor
  order by one.id desc limit 1;
  if known.declined_at is not null then return 'They have declined it'; end if;
  if known.id is null or num_nonnulls(known.accepted_at, known.revoked_at) > 0 or known.expires_at <= sent_at(request) then
    perform invite(import.university_id, address, the_role, department, offering, as_instructor,
                   import.created_by_user_id, request, import.overrides and not as_instructor, 'import', the_sourced_id);
  elsif known.sourced_id is null and the_sourced_id is not null then
    update invitations set sourced_id = the_sourced_id where id = known.id;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Gives the people of records the roles of their groups that an administrator has mapped, that of a student where there are
-- none, and takes those back that the directory gave and gives no longer. Whoever calls it holds the records.
create or replace function settle_scim_roles(university integer, records integer[], actor integer, request jsonb)
returns void language plpgsql as $$
declare
  changed_roles integer;
  given_roles integer;
begin
  with wanted as materialized (
    select distinct record.user_id, coalesce(mapped.role, 'student') as role
    from scim_users as record
    left join (
      select member.scim_user_id, one.role
      from scim_group_members as member join scim_groups as one on one.id = member.group_id
      where member.scim_user_id = any (records) and one.role is not null
    ) as mapped on mapped.scim_user_id = record.id
    where record.id = any (records) and record.user_id is not null
  ), gone as (
    delete from user_university_roles as held using scim_users as record
    where record.id = any (records) and held.user_id = record.user_id and held.university_id = university
      and held.by_directory and not exists (
        select from wanted where wanted.user_id = held.user_id and wanted.role = held.role)
    returning held.user_id, held.role
  ), given as (
    insert into user_university_roles (user_id, university_id, role, by_directory)
    select wanted.user_id, university, wanted.role, true from wanted
    where not exists (
      select from user_university_roles as held
      where held.user_id = wanted.user_id and held.university_id = university and held.role = wanted.role
        and held.department_id is null)
    order by wanted.user_id, wanted.role
    on conflict do nothing returning user_university_roles.user_id, user_university_roles.role
  )
  -- PostgreSQL calls what is counted, and would call nothing that is read by nobody.
  select count(*), count(*) filter (where changed.action = 'role.granted') into changed_roles, given_roles from (
    select 'role.revoked' as action, gone.* from gone union all select 'role.granted', given.* from given
  ) as changed cross join lateral audit(
    changed.action, actor, changed.user_id, university, jsonb_build_object('role', changed.role, 'directory', true),
    request);
  if given_roles > 0 then perform ensure_active(university); end if;
end $$;
--> statement-breakpoint
-- Signs in whom an assertion names that was verified, once: of two who send it at once the later is refused. The refusals
-- are those of `sign_in_by_university`, and `replayed`. Whoever has no such role yet is given it, if there is one.
create or replace function sign_in_by_assertion(
  the_provider integer, assertion_hash text, the_subject text, address text, name text, the_role text, seen jsonb,
  request jsonb, out refusal text, out person integer, out version integer
) language plpgsql as $$
declare
  university integer;
begin
  if not take_once('assertion of identity provider ' || the_provider || ' ' || assertion_hash, sent_at(request)) then
    refusal := 'replayed';
    return;
  end if;
  select signed.refusal, signed.person, signed.version into refusal, person, version
  from sign_in_by_university(the_provider, the_subject, address, name, request) as signed;
  university := (select university_id from identity_providers where id = the_provider);
  if refusal is null and the_role in ('ta', 'instructor')
    and (select is_active from universities where id = university) then
    insert into user_university_roles (user_id, university_id, role) values (person, university, the_role)
    on conflict do nothing;
    if found then
      perform audit('role.granted', person, person, university,
                    jsonb_build_object('role', the_role, 'identity_provider_id', the_provider), request);
    end if;
  end if;
  perform note_saml_attributes(the_provider, seen, sent_at(request));
end $$;
--> statement-breakpoint
-- Signs in whom a university's provider names, and makes them one of its people; the first time by their address. The
-- refusals: `domain`, an address that the provider may not vouch for (null for one that it has not verified); `taken`, as
-- `link_identity` refuses; `inactive_university`, which takes nobody new.
create or replace function sign_in_by_university(
  the_provider integer, the_subject text, address text, name text, request jsonb,
  out refusal text, out person integer, out version integer
) language plpgsql as $$
declare
  trusted identity_providers;
  provider_name text;
  is_first boolean;
begin
  select * into trusted from identity_providers where id = the_provider for key share;
  provider_name := trusted.university_id || '.' || trusted.name;
  loop
    person := (select user_id from user_identities where provider = provider_name and subject = the_subject);
    is_first := person is null;
    if is_first then
      if not coalesce(trusted.vouches, false) or not exists (
        select from university_domains
        where university_id = trusted.university_id and domain = split_part(address, '@', 2)
      ) then
        refusal := 'domain';
        return;
      end if;
      if not (select is_active from universities where id = trusted.university_id) and not exists (
        select from users join user_university_roles as held on held.user_id = users.id
        where users.email = address and held.university_id = trusted.university_id
      ) then
        refusal := 'inactive_university';
        return;
      end if;
      perform lock_directory_address(trusted.university_id, address);
      perform from scim_users
      where university_id = trusted.university_id and email = address and user_id is null order by id for update;
      insert into users (email, full_name, email_verified_at) values (address, name, sent_at(request))
      on conflict (email) do nothing;
      person := (select id from users where email = address);
    end if;
    perform from users where id = person for update;
    -- Whoever it was erased their account meanwhile: they come as someone new.
    exit when exists (select from users where id = person and erased_at is null);
  end loop;
  if exists (
    select from user_identities where provider = provider_name and subject = the_subject and user_id = person
  ) then
    version := (select token_version from users where id = person and is_active);
  else
    version := (
      select linked.token_version from link_identity(provider_name, the_subject, address, name, request) as linked
      where linked.id = person);
  end if;
  if refusal is null and version is null then refusal := 'taken'; end if;
  if refusal is null and not exists (
    select from user_university_roles where user_id = person and university_id = trusted.university_id
  ) and not (select is_active from universities where id = trusted.university_id) then
    refusal := 'inactive_university';
  end if;
  if refusal is null and not exists (
    select from user_university_roles where user_id = person and university_id = trusted.university_id
  ) then
    insert into user_university_roles (user_id, university_id, role) values (person, trusted.university_id, 'student')
    on conflict do nothing;
    perform audit('role.granted', person, person, trusted.university_id,
                  jsonb_build_object('role', 'student', 'provider', provider_name), request);
  end if;
  -- Whom the directory has suspended before it knew who they are is so from the first moment on.
  if refusal is null and is_first then
    perform link_scim_user_of(trusted.university_id, address, person, person, request);
  end if;
  if refusal is null then
    perform audit('sign_in', person, person, trusted.university_id, jsonb_build_object('provider', provider_name),
                  request);
  end if;
end $$;
--> statement-breakpoint
-- Makes a record, or replaces what it says. `missing` without one of that id, `stale` where it has none of the expected
-- versions, else `written` with the record. A name or an external id that another record has breaks the key of scim_users.
create or replace function write_scim_user(
  university integer, the_record integer, wanted jsonb, expected integer[], actor integer, request jsonb
) returns table (outcome text, record scim_users) language plpgsql as $$
#variable_conflict use_column
declare
  said scim_users := jsonb_populate_record(null::scim_users, wanted);
  former scim_users;
  is_linked boolean;
begin
  if the_record is null then
    perform ensure_active(university);
    if said.email is not null then perform lock_directory_address(university, said.email); end if;
    insert into scim_users (university_id, user_name, external_id, email, full_name, is_active, attributes)
    values (university, said.user_name, said.external_id, said.email, said.full_name, said.is_active, said.attributes)
    returning * into record;
    perform audit('scim_user.created', actor, null, university, jsonb_build_object('scim_user_id', record.id), request);
  else
    select * into former from scim_users as one where one.id = the_record and one.university_id = university for update;
    if former.id is null or not former.version = any (coalesce(expected, array[former.version])) then
      outcome := case when former.id is null then 'missing' else 'stale' end;
      record := former;
      return next;
      return;
    end if;
    if former.email is distinct from said.email then perform revoke_scim_offer(former, request); end if;
    update scim_users as one set user_name = said.user_name, external_id = said.external_id, email = said.email,
      full_name = said.full_name, is_active = said.is_active, attributes = said.attributes,
      version = one.version + 1, updated_at = service_now()
    where one.id = the_record returning one.* into record;
  end if;
  is_linked := former.user_id is not null;
  record := find_scim_person(record.id, actor, request);
  if record.user_id is not null then
    perform from users where id = record.user_id for no key update;
    if not is_linked then perform settle_scim_roles(university, array[record.id], actor, request); end if;
    perform settle_scim_names(record);
    if not is_linked or former.is_active <> record.is_active then
      perform settle_scim_activity(record, actor, request);
    end if;
  end if;
  outcome := 'written';
  return next;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
