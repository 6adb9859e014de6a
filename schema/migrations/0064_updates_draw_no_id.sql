set local check_function_bodies = off;
--> statement-breakpoint
-- A person's attempt at an item, or work that they hand in, begins it as a post of 0 percent does. What they do there
-- first and last is what comes first and last, in whatever order it is told.
create or replace function begin_item(
  person integer, offering integer, item integer, begun timestamptz, latest timestamptz
) returns void language plpgsql as $$
begin
  update user_content_progress
  set first_started_at = least(first_started_at, begun), last_interacted_at = greatest(last_interacted_at, latest)
  where user_id = person and course_offering_id = offering and content_item_id = item;
  if found then return; end if;
  insert into user_content_progress as mine
    (user_id, course_offering_id, content_item_id, first_started_at, last_interacted_at)
  values (person, offering, item, begun, latest)
  on conflict on constraint user_content_progress_unique do update
    set first_started_at = least(mine.first_started_at, excluded.first_started_at),
        last_interacted_at = greatest(mine.last_interacted_at, excluded.last_interacted_at);
end $$;
--> statement-breakpoint
-- Whoever begins an item begins its module, and those above: first, since progress in a module is written before the
-- person's streak, and what is written in two orders would wait for each other.
create or replace function begin_modules() returns trigger language plpgsql as $$
begin
  if exists (
    select from user_content_progress where user_id = new.user_id
      and course_offering_id = new.course_offering_id and content_item_id = new.content_item_id
  ) then return new; end if;
  insert into user_module_progress (user_id, course_offering_id, module_id, started_at)
  with recursive path as (
    select m.id, m.parent_module_id from content_items as item join modules as m on m.id = item.module_id
    where item.id = new.content_item_id
    union all
    select above.id, above.parent_module_id from path join modules as above on above.id = path.parent_module_id
  )
  select new.user_id, new.course_offering_id, path.id, new.first_started_at from path
  where not exists (
    select from user_module_progress as begun
    where begun.user_id = new.user_id and begun.course_offering_id = new.course_offering_id
      and begun.module_id = path.id)
  order by path.id
  on conflict on constraint user_module_progress_unique do nothing;
  return new;
end $$;
--> statement-breakpoint
-- Asks for the answer to an open message of a session: `is_shared` for everyone on the path below `the_parent`, else
-- for the session alone. Answered is one of:
-- - `answer_id`: the tree had it by now, and the exchange is stored;
-- - `path_gone`: what the message followed was purged or replaced: there is no such path, and the session leaves the
--   tree;
-- - `generation`: the answer in the making to follow. Whoever `is_maker` also has to make it, from `context` and
--   `exchanges`: the path from the root, or the session's answered history. The `call` of the LLM has begun with that;
-- - `refused_by`: it would have to make it, and the budgets (llm-calls.sql) are used up, for `retry_after` seconds.
-- No row: the session is not open with that message any more.
create or replace function claim_answer(
  the_session integer, the_token uuid, is_shared boolean, the_parent integer, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb
) returns table (
  generation integer, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
  node cache_nodes;
  hash text := sha256_hex(the_message);
  alive_until timestamptz;
  limited_until timestamptz;
  stopping boolean := false;
  path integer[];
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := hold_path(the_parent);
    select * into session from chat_sessions where id = the_session and answering_token = the_token;
  else
    -- A row that its own transaction changes twice has its references checked, where the cursor stands among them.
    perform from cache_nodes where id = (select cache_node_id from chat_sessions where id = the_session) for key share;
    select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
  end if;
  if session.id is null then return; end if;
  path_gone := false;
  is_maker := false;

  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      path_gone := true;
      update chat_sessions set cache_state = 'diverged' where id = the_session;
      return next;
      return;
    end if;
  end if;

  -- Whoever ends an answer between two of these looks is seen at the next. Who finds it being made draws no id.
  for look in 1..5 loop
    alive_until := clock_timestamp() + maker_lease();
    limited_until := clock_timestamp() + make_interval(secs => limit_seconds);
    if is_shared then
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.content_item_id = session.content_item_id
          and coalesce(made.parent_id, 0) = coalesce(the_parent, 0) and made.message_hash = hash
          and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version and made.model = the_model
          and made.prompt_fingerprint = the_prompt_fingerprint
          and made.content_fingerprint = session.content_fingerprint
          and made.state = 'writing' and made.question_id is null
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      ), begun as (
        insert into generations as made (
          content_item_id, parent_id, message, message_hash, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, token, lease_until, maker_until)
        select
          session.content_item_id, the_parent, the_message, hash, the_prompt_fingerprint, session.content_fingerprint,
          the_prompt, the_prompt_version, the_model, maker, least(alive_until, limited_until), limited_until
        where not exists (select from known)
        on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                     prompt_fingerprint, content_fingerprint) where state = 'writing' and question_id is null
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      )
      select mine.id, mine.attempt into generation, attempt
      from (select * from taken_over union all select * from begun) as mine;
      is_maker := found;

      select * into node from cache_nodes as n
      where n.content_item_id = session.content_item_id
        and coalesce(n.parent_id, 0) = coalesce(the_parent, 0)
        and n.message_hash = hash and n.prompt_name = the_prompt and n.prompt_version = the_prompt_version
        and n.model = the_model and n.prompt_fingerprint = the_prompt_fingerprint
        and n.content_fingerprint = session.content_fingerprint
      for share;
      if found then
        if is_maker then delete from generations where id = generation; end if;
        -- Someone else who listens in this session may have closed its turn meanwhile.
        select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
        if session.id is null then return; end if;
        meta := jsonb_build_object(
          'source', 'cache', 'model', the_model, 'prompt_name', the_prompt, 'prompt_version', the_prompt_version,
          'latency_ms', milliseconds_since(session.answering_since), 'cache_node_id', node.id);
        select stored.id, stored.created_at into answer_id, answered_at
        from store_answer(session.id, session.answering_message_id, node.chunks, meta, true, node.id, true) as stored;
        chunks := node.chunks;
        generation := null;
        is_maker := false;
        return next;
        return;
      end if;
      exit when is_maker;
      select made.id into generation from generations as made
      where made.content_item_id = session.content_item_id and coalesce(made.parent_id, 0) = coalesce(the_parent, 0)
        and made.message_hash = hash and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version
        and made.model = the_model and made.prompt_fingerprint = the_prompt_fingerprint
        and made.content_fingerprint = session.content_fingerprint
        and made.state = 'writing' and made.question_id is null
      for key share;
    else
      -- One that has ended already was not stored with its question yet.
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'complete';
      exit when found;
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.question_id = session.answering_message_id and made.state = 'writing'
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      ), begun as (
        insert into generations as made (
          content_item_id, session_id, question_id, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, token, lease_until, maker_until)
        select
          session.content_item_id, session.id, session.answering_message_id, the_prompt_fingerprint,
          session.content_fingerprint, the_prompt, the_prompt_version, the_model, maker,
          least(alive_until, limited_until), limited_until
        where not exists (select from known)
        on conflict (question_id) where state = 'writing'
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      )
      select mine.id, mine.attempt, mine.stop_requested into generation, attempt, stopping
      from (select * from taken_over union all select * from begun) as mine;
      is_maker := found;
      exit when is_maker;
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'writing';
    end if;
    exit when found;
  end loop;
  if generation is null then return; end if;
  update chat_sessions set answering_generation_id = generation
  where id = the_session and answering_token = the_token;

  if stopping then
    -- Its maker died after the learner had stopped it: what it had said is the answer.
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = (select call_id from generations where id = generation) and outcome = 'started';
    perform finish_generation(generation, maker, coalesce((
      select jsonb_agg(chunk order by piece.first_chunk, number)
      from generation_pieces as piece, jsonb_array_elements(piece.chunks) with ordinality as part (chunk, number)
      where piece.generation_id = generation), '[]'), null, null, 'stopped', null, null);
    is_maker := false;
  elsif is_maker then
    delete from generation_pieces where generation_id = generation;
    context := session.content_context;
    exchanges := case when is_shared then shared_path(path)
                      else answered_history(session.id, session.answering_message_id) end;
    select begun.call, begun.refused_by, begun.retry_after into call, refused_by, retry_after
    from begin_call(generation, the_session, session.answering_message_id, the_model,
      budget || jsonb_build_object('reserve',
        (budget ->> 'reserve')::bigint + most_tokens(context, exchanges, (budget ->> 'material')::int))) as begun;
    if refused_by is not null then
      -- It is nobody's then: whoever wants it too makes it, on a budget of their own.
      if attempt = 1 then
        delete from generations where id = generation;
      else
        update generations set lease_until = clock_timestamp() - interval '1 millisecond' where id = generation;
      end if;
      update chat_sessions set answering_generation_id = null where id = the_session and answering_token = the_token;
      generation := null;
      is_maker := false;
    end if;
  end if;
  return next;
end;
$$;
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
  perform hold_offerings(array(select offering from imported_places(import, batch) where offering is not null));
  offered := (
    select jsonb_object_agg(made_offer.row_id, made_offer.refusal) from (
      select one.row_id, coalesce(offer_by_import(
        import, one.address, given.sourced_id, null, null, place.offering, given.details ->> 'as' = 'teacher', request),
        '') as refusal
      from import_addressees(import, batch) as one join import_rows as given on given.id = one.row_id
      join imported_places(import, batch) as place on place.row_id = one.row_id where place.offering is not null
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
    from import_batch(import, batch) as one join imported_places(import, batch) as place on place.row_id = one.row_id
    left join import_addressees(import, batch) as addressee on addressee.row_id = one.row_id
    order by one.row_id
  loop
    row_id := asked.row_id;
    person := asked.person;
    outcome := 'refused';
    reason := case
      when asked.has_other_address then 'The person with this sourced_id has another e-mail address'
      when asked.person is null and not asked.is_coming and asked.address is null then 'There is no such person'
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
-- Offerings are found by the source's id, else by the code of the course and the term, as far as no other class has
-- them; else they are made, with their course where the university has none of that code. A course that is there stays
-- as it is, and nothing is deleted.
create or replace function import_offerings(import imports, batch bigint[])
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  one import_rows;
  offering integer;
  course integer;
begin
  for one in select * from import_rows where id = any (batch) order by id loop
    row_id := one.id;
    outcome := 'unchanged';
    reason := null;
    offering := (
      select course_offering_id from sourced_offerings
      where university_id = import.university_id and sourced_offerings.sourced_id = one.sourced_id);
    if one.is_deletion then
      if offering is not null then
        outcome := 'refused';
        reason := 'An import deletes no offering';
      end if;
      return next;
      continue;
    end if;
    if offering is null then
      offering := (
        select run.id from course_offerings as run join courses on courses.id = run.course_id
        where run.university_id = import.university_id and courses.code = one.details ->> 'course_code'
          and run.term_name is not distinct from one.details ->> 'term_name'
          and not exists (select from sourced_offerings where course_offering_id = run.id)
        order by run.id limit 1);
      if offering is null then
        insert into courses (university_id, code, title)
        values (import.university_id, one.details ->> 'course_code', one.details ->> 'course_title')
        on conflict (university_id, code) do nothing;
        course := (
          select id from courses where university_id = import.university_id and code = one.details ->> 'course_code');
        insert into course_offerings (course_id, university_id, term_name, starts_at, ends_at)
        values (course, import.university_id, one.details ->> 'term_name',
                (one.details ->> 'starts_at')::timestamptz, (one.details ->> 'ends_at')::timestamptz)
        returning id into offering;
        outcome := 'created';
      end if;
    end if;
    if exists (
      select from course_offerings as run
      where run.id = offering and coalesce((one.details ->> 'ends_at')::timestamptz, run.ends_at)
        <= coalesce((one.details ->> 'starts_at')::timestamptz, run.starts_at)
    ) then
      outcome := 'refused';
      reason := 'The offering would end before it begins';
      return next;
      continue;
    end if;
    insert into sourced_offerings (university_id, sourced_id, course_offering_id)
    select import.university_id, one.sourced_id, offering
    where not exists (
      select from sourced_offerings as known
      where known.university_id = import.university_id and known.sourced_id = one.sourced_id)
    on conflict do nothing;
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    update course_offerings set
      term_name = coalesce(one.details ->> 'term_name', term_name),
      starts_at = coalesce((one.details ->> 'starts_at')::timestamptz, starts_at),
      ends_at = coalesce((one.details ->> 'ends_at')::timestamptz, ends_at),
      updated_at = service_now()
    where id = offering and (
      term_name is distinct from coalesce(one.details ->> 'term_name', term_name)
      or starts_at is distinct from coalesce((one.details ->> 'starts_at')::timestamptz, starts_at)
      or ends_at is distinct from coalesce((one.details ->> 'ends_at')::timestamptz, ends_at));
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- People are made, or found; found ones get the source's id, and the role of a student where they have nothing in the
-- university, and people of elsewhere are offered that role. Their name changes only as `may_rename` says, and their address, by which they sign in, never. Two rows of
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
  offered jsonb;
begin
  leaving := array(select one.person from import_batch(import, batch) as one where one.is_deletion);
  perform hold_offerings(array(
    select course_offering_id from enrollments
    where user_id = any (leaving) and university_id = import.university_id
      and status in ('active', 'pending', 'waitlisted')));
  with fresh as (
    insert into users (email, full_name, made_by_university_id)
    select one.email, one.details ->> 'full_name', import.university_id from import_batch(import, batch) as one
    where one.person is null and not one.is_deletion order by one.email
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
    where listed.sourced_id is not null and not exists (
      select from sourced_people as known
      where known.university_id = import.university_id and known.sourced_id = listed.sourced_id)
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced) into changed;
  return query
  select one.row_id,
    case when one.has_other_address or offered ->> one.row_id::text <> '' then 'refused'
         when offered ? one.row_id::text then 'offered' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change'
         else nullif(offered ->> one.row_id::text, '') end,
    one.person
  from import_batch(import, batch) as one where not one.is_deletion;
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
  ), audited as (
    insert into audit_events
      (action, actor_id, subject_id, university_id, details, occurred_at, request_id, from_address)
    select changed.action, import.created_by_user_id, changed.user_id, changed.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', changed.role, 'department_id', changed.department_id, 'import_id', import.id)),
      sent_at(request), request ->> 'id', request ->> 'from'
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
$$;
--> statement-breakpoint
-- Tells people of what happened, each once: `the_cause` is the word for it, such as `post:17`. A mail that would come
-- after what is due goes out at once. Answers how many had not been told before.
create or replace function notify(
  people integer[], the_kind text, the_cause text, moment timestamptz, offering integer default null,
  item integer default null, post integer default null, the_announcement integer default null,
  due timestamptz default null
) returns integer language sql as $$
  with told as (
    insert into notifications (user_id, kind, cause, course_offering_id, content_item_id, discussion_post_id,
                               announcement_id, due_at, created_at, mail_due_at)
    select reader.id, the_kind, the_cause, offering, item, post, the_announcement, due, notify.moment,
           case when due <= mail.moment then notify.moment else mail.moment end
    from users as reader
    cross join lateral (select * from notification_wishes(reader.id) as one where one.kind = the_kind) as wish
    cross join lateral (select mail_moment(reader, wish.mail, notify.moment)) as mail (moment)
    where reader.id = any (people) and reader.is_active and not exists (
      select from notifications as known
      where known.user_id = reader.id and known.kind = the_kind and known.cause = the_cause)
    order by reader.id
    on conflict (user_id, kind, cause) do nothing
    returning id
  )
  select count(*)::integer from told
$$;
--> statement-breakpoint
-- A result, or one that is taken back, is progress in its item.
create or replace function take_result() returns trigger language plpgsql as $$
declare
  moment timestamptz := result_moment(new.course_offering_id, new.user_id, new.content_item_id);
begin
  if not completes_by_result(type_of_item(new.content_item_id)) then
    return null;
  end if;
  if moment is null then
    update user_content_progress set completed_at = null
    where user_id = new.user_id and course_offering_id = new.course_offering_id
      and content_item_id = new.content_item_id and completed_at is not null;
  else
    update user_content_progress
    set progress_percent = 100, completed_at = moment, last_interacted_at = greatest(last_interacted_at, moment)
    where user_id = new.user_id and course_offering_id = new.course_offering_id
      and content_item_id = new.content_item_id;
    if found then return null; end if;
    insert into user_content_progress as mine (user_id, course_offering_id, content_item_id, progress_percent,
      first_started_at, last_interacted_at, completed_at, attempts_count)
    values (new.user_id, new.course_offering_id, new.content_item_id, 100, moment, moment, moment, 0)
    on conflict on constraint user_content_progress_unique do update
      set progress_percent = 100, completed_at = moment, last_interacted_at = greatest(mine.last_interacted_at, moment);
  end if;
  return null;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
