set local check_function_bodies = off;
--> statement-breakpoint
drop trigger content_items_take_place on content_items;
--> statement-breakpoint
drop trigger course_prerequisites_stay_acyclic on course_prerequisites;
--> statement-breakpoint
drop trigger course_subjects_keep_popularity on course_subjects;
--> statement-breakpoint
drop trigger courses_keep_popularity on courses;
--> statement-breakpoint
drop trigger enrollments_keep_popularity on enrollments;
--> statement-breakpoint
drop trigger feature_requests_keep_totals_added on feature_requests;
--> statement-breakpoint
drop trigger feature_requests_keep_totals_changed on feature_requests;
--> statement-breakpoint
drop trigger feature_requests_keep_totals_removed on feature_requests;
--> statement-breakpoint
drop trigger fill_places_again on universities;
--> statement-breakpoint
drop trigger fill_places_again on users;
--> statement-breakpoint
drop trigger keep_audit_events on audit_events;
--> statement-breakpoint
drop trigger keep_audit_events_whole on audit_events;
--> statement-breakpoint
drop trigger keep_conversation on chat_sessions;
--> statement-breakpoint
drop trigger keep_course_rating on course_reviews;
--> statement-breakpoint
drop trigger keep_grade_changes on grade_changes;
--> statement-breakpoint
drop trigger modules_take_place on modules;
--> statement-breakpoint
drop trigger note_later_stale_trees on user_content_progress;
--> statement-breakpoint
drop trigger note_stale_trees on user_content_progress;
--> statement-breakpoint
drop trigger note_stale_trees on user_module_progress;
--> statement-breakpoint
drop trigger subjects_take_place on subjects;
--> statement-breakpoint
drop function content_items_take_place();
--> statement-breakpoint
drop function course_prerequisites_stay_acyclic();
--> statement-breakpoint
drop function course_subjects_keep_popularity();
--> statement-breakpoint
drop function courses_keep_popularity();
--> statement-breakpoint
drop function enrollments_keep_popularity();
--> statement-breakpoint
drop function feature_requests_keep_totals();
--> statement-breakpoint
drop function fill_places_again();
--> statement-breakpoint
drop function forget_counted(date,integer);
--> statement-breakpoint
drop function forget_limits(timestamp with time zone);
--> statement-breakpoint
drop function free_place(integer,integer,timestamp with time zone,integer);
--> statement-breakpoint
drop function gate_of_work(integer,integer,integer,timestamp with time zone);
--> statement-breakpoint
drop function hold_counted_score(integer,integer,integer);
--> statement-breakpoint
drop function hold_grades(integer);
--> statement-breakpoint
drop function hold_invited_places(integer[]);
--> statement-breakpoint
drop function hold_offerings(integer[]);
--> statement-breakpoint
drop function hold_own_words(integer,integer);
--> statement-breakpoint
drop function hold_path(bigint);
--> statement-breakpoint
drop function hold_submission(bigint);
--> statement-breakpoint
drop function hold_subtree(bigint);
--> statement-breakpoint
drop function hold_thread_of(bigint);
--> statement-breakpoint
drop function imported_places(imports,bigint[]);
--> statement-breakpoint
drop function keep_audit_events();
--> statement-breakpoint
drop function keep_conversation();
--> statement-breakpoint
drop function keep_course_rating();
--> statement-breakpoint
drop function keep_grade_changes();
--> statement-breakpoint
drop function keep_grades(integer);
--> statement-breakpoint
drop function keep_popularity_of_subjects(integer);
--> statement-breakpoint
drop function keep_progress(integer,integer[]);
--> statement-breakpoint
drop function keep_trees(integer,integer[]);
--> statement-breakpoint
drop function lose_calls(bigint[]);
--> statement-breakpoint
drop function modules_take_place();
--> statement-breakpoint
drop function note_stale_trees();
--> statement-breakpoint
drop function place_prompt_labels(text,text[],integer,integer);
--> statement-breakpoint
drop function places_taken(integer);
--> statement-breakpoint
drop function subjects_take_place();
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
  elsif not exists (select from users where id = offer.invited_by_user_id and is_active)
      or offer.role is not null
        and not may_grant(offer.invited_by_user_id, offer.role, offer.university_id, offer.department_id)
      or offer.course_offering_id is not null and not exists (
        select from course_offerings as run
        where run.id = offer.course_offering_id and case when offer.teaches
          then is_instructor_of_offering(offer.invited_by_user_id, run.id)
          else is_staff_of_offering(offer.invited_by_user_id, run.id) end) then
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
    insert into user_university_roles (user_id, university_id, role, department_id)
    values (person, offer.university_id, offer.role, offer.department_id) on conflict do nothing;
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
end $$;
--> statement-breakpoint
-- The same with a new account, which there is only if the invitation can be accepted. An account that has the address
-- and was never verified may be anyone's who typed it: whoever has the mail takes it over. `registered` when it is
-- someone's already, who has to sign in.
create or replace function accept_invitation_anew(
  hash text, name text, wanted text, request jsonb,
  out person integer, out version integer, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
  account users;
begin
  select * into offer from invitations where token_hash = hash;
  perform lock_invited_scopes(array[offer.id]);
  begin
    insert into users (email, full_name, password_hash, email_verified_at)
    select offer.email, name, wanted, sent_at(request) where offer.id is not null
    on conflict (email) do nothing returning users.* into account;
    if account.id is null and offer.id is not null then
      select * into account from users where email = offer.email for update;
      if account.email_verified_at is not null or not account.is_active then
        refusal := 'registered';
        return;
      end if;
      account.token_version := end_tokens(account.id);
      update users set full_name = name, password_hash = wanted, email_verified_at = sent_at(request)
      where id = account.id;
      perform audit('account.taken_over', account.id, account.id, null,
                    jsonb_build_object('invitation_id', offer.id), request);
    end if;
    select one.refusal, one.missing into refusal, missing from accept_invitation(offer.id, account.id, request) as one;
    if refusal is not null then raise exception 'not accepted' using errcode = 'ROLBK'; end if;
  exception when sqlstate 'ROLBK' then
    return;
  end;
  person := account.id;
  version := account.token_version;
end $$;
--> statement-breakpoint
-- Accepts all that a university offers to the address of a person who has shown that it is theirs, since they came to it
-- by themselves; answers how many were. What cannot be accepted yet stays open. Without a university: all that is offered.
create or replace function accept_invitations_of(person integer, request jsonb, only_of integer default null)
returns integer language plpgsql as $$
declare
  invited integer[] := array(
    select one.id from users join invitations as one on one.email = users.email
    where users.id = person and users.email_verified_at is not null and users.is_active
      and one.accepted_at is null and one.revoked_at is null and one.expires_at > sent_at(request)
      and one.university_id = coalesce(only_of, one.university_id)
    order by one.id);
begin
  perform lock_invited_scopes(invited);
  return (
    select count(*) filter (where one.refusal is null)
    from unnest(invited) as offered, lateral accept_invitation(offered, person, request) as one);
end $$;
--> statement-breakpoint
create or replace function add_to_course_rating() returns trigger language plpgsql as $$
declare
  more integer := case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end;
  stars integer := coalesce(new.rating, 0) - coalesce(old.rating, 0);
begin
  insert into course_ratings as kept (course_id, reviews, rating_sum)
  select course_id, more, stars from course_offerings
  where id = coalesce(new.course_offering_id, old.course_offering_id)
  on conflict (course_id) do update
    set reviews = kept.reviews + excluded.reviews, rating_sum = kept.rating_sum + excluded.rating_sum;
  return null;
end $$;
--> statement-breakpoint
create or replace function add_to_feature_request_totals() returns trigger language plpgsql as $$
begin
  perform from feature_request_totals order by status for no key update;
  if tg_op <> 'INSERT' then
    update feature_request_totals as total set requests = requests - number
    from (select status, count(*) as number from removed group by status) as counted
    where total.status = counted.status;
  end if;
  if tg_op <> 'DELETE' then
    update feature_request_totals as total set requests = requests + number
    from (select status, count(*) as number from added group by status) as counted
    where total.status = counted.status;
  end if;
  return null;
end $$;
--> statement-breakpoint
create or replace function add_to_popularity() returns trigger language plpgsql as $$
declare
  change integer := coalesce(new.status in ('active', 'completed'), false)::int
                    - coalesce(old.status in ('active', 'completed'), false)::int;
  course integer;
begin
  if change <> 0 then
    select course_id into course from course_offerings
      where id = coalesce(new.course_offering_id, old.course_offering_id);
    perform from course_popularity where course_id = course and subject_id is null for update;
    update course_popularity set enrollments = enrollments + change where course_id = course;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Keeps what a conversation counted for when it is deleted; what its day has of it goes when that is counted again.
create or replace function add_to_report_totals() returns trigger language plpgsql as $$
declare
  counting scheduled_tasks;
begin
  select * into counting from scheduled_tasks where name = 'count' for share;
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, utc_day(moment), amount, true from conversation_facts
  where session_id = old.id and amount is not null
  union all
  select said.measure, topic.course_id, utc_day(old.created_at), said.amount, true
  from content_items as topic cross join lateral (values
    ('chat_sessions', 1), ('chat_messages', (select count(*) from chat_messages where session_id = old.id))
  ) as said (measure, amount)
  where topic.id = old.content_item_id and said.amount > 0
  union all
  select measure, course_id, utc_day(moment), state.sign * count(*), state.sign > 0
  from answer_facts cross join (values (1), (-1)) as state (sign)
  where session_id = old.id and (state.sign > 0 or moment < counted_to(counting))
  group by measure, course_id, utc_day(moment), state.sign;
  return old;
end $$;
--> statement-breakpoint
-- Adds a piece to the telling of whoever holds the lease, which is a sign of life. No row: the lease is lost, and
-- nothing was written. Answers whether the learner wants it to stop.
create or replace function append_chunks(
  the_generation bigint, maker uuid, first integer, the_chunks jsonb
) returns table (stop_requested boolean) language sql as $$
  with mine as (
    update generations set lease_until = least(clock_timestamp() + producer_lease(), maker_until)
    where id = the_generation and token = maker and state = 'writing' and maker_until > clock_timestamp()
    returning id, attempt, stop_requested
  ), piece as (
    insert into generation_pieces (generation_id, attempt, first_chunk, chunks)
    select id, attempt, first, the_chunks from mine
    on conflict do nothing
  )
  select stop_requested from mine
$$;
--> statement-breakpoint
create or replace function append_piece(
      the_generation bigint, maker uuid, first integer, the_chunks jsonb
    ) returns table (stop_requested boolean) language sql as $$
      select stop_requested from append_chunks($1, $2, $3, $4)
    $$;
--> statement-breakpoint
-- Takes what an item's own grader says of a submission, at the moment at which it signed that. `outcome`: 'graded';
-- 'kept', where a person has graded it or it was returned; 'superseded', where a later word came before; or 'final',
-- where what is graded stays, 'too many points', 'renewed', where the secret has another version by now, or 'own'
-- for the work of someone who has read the secret and could have signed it. The same word again has the same outcome. No
-- row: it is gone.
create or replace function auto_grade_submission(
  the_submission bigint, points numeric, details jsonb, signed_at timestamptz, signed_with integer, moment timestamptz,
  request jsonb
) returns table (outcome text, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := lock_submission(the_submission);
  graded lab_submissions;
  counted numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  outcome := case
    when signed_with <> grader_version(former.course_offering_id, former.content_item_id) then 'renewed'
    when exists (
      select from auto_grader_readers as reader
      where reader.course_offering_id = former.course_offering_id
        and reader.content_item_id = former.content_item_id and reader.user_id = former.user_id
        and reader.secret_version = signed_with
    ) then 'own'
    when former.auto_graded_at > signed_at then 'superseded'
    when former.grade_source = 'hand' or former.status = 'returned' then 'kept'
    when former.auto_graded_at = signed_at then 'graded'
    when former.status <> 'submitted' and is_grade_final(former.course_offering_id, former.user_id) then 'final'
    when points > (bound -> 'most')::numeric then 'too many points'
    else 'graded'
  end;
  if outcome in ('graded', 'kept') and former.auto_graded_at is distinct from signed_at then
    update lab_submissions as one set auto_grade_json = details, auto_graded_at = signed_at
    where one.id = the_submission;
    if outcome = 'graded' then
      counted := lock_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
      update lab_submissions as one
      set status = 'graded', score_obtained = points, max_score = (bound -> 'points')::numeric, grade_source = 'auto',
          graded_at = moment
      where one.id = the_submission returning one.* into graded;
      perform note_grade_of_submission('submission_graded', former, graded, null, null, moment, request);
      perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Begins the call that makes an answer for a session's open message, if it fits into every budget: `call`, or the limit
-- that it is `refused_by`, and in how many seconds it may be worth another try. `settings` holds the limits where a
-- university has none, and in `reserve` the most tokens that the call may use.
--
-- The person is held, so that of calls at once each sees those before it; the month's row lets no more in than fit.
-- What failed before it cost anything is no turn.
create or replace function begin_call(
  the_generation bigint, the_session bigint, the_question bigint, the_model text, settings jsonb,
  out call bigint, out refused_by text, out retry_after integer
) language plpgsql as $$
declare
  person integer;
  item content_items;
  allowed record;
  today timestamptz := utc_midnight(utc_day(service_now()));
  reserve bigint := (settings ->> 'reserve')::bigint;
begin
  select s.user_id into person from chat_sessions as s where s.id = the_session;
  select i.* into item from content_items as i join chat_sessions as s on s.content_item_id = i.id
  where s.id = the_session;
  select * into allowed from tutor_budget_of(item.university_id, settings);
  perform from users where id = person for no key update;

  if allowed.turns_at_once <= (
    select count(*) from llm_calls as c join generations as g on g.call_id = c.id
    where c.user_id = person and c.university_id = item.university_id and c.ended_at is null
      and c.started_at > service_now() - answer_limit() and g.id <> the_generation
      and g.state = 'writing' and g.lease_until > clock_timestamp()
  ) then
    refused_by := 'turns_at_once';
    retry_after := 5;
    return;
  end if;
  if allowed.turns_per_day <= (
    select count(*) from llm_calls
    where user_id = person and university_id = item.university_id and started_at >= today
      and not (outcome in ('failed', 'timeout')
               and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0)
  ) then
    refused_by := 'turns_per_day';
    retry_after := seconds_until(today + interval '1 day');
    return;
  end if;

  perform expire_calls(array(select call_id from generations where id = the_generation));
  if reserve <= coalesce(allowed.tokens_per_month, reserve) then
    insert into tutor_months as used (university_id, month, tokens) values (item.university_id, tutor_month(), reserve)
    on conflict (university_id, month) do update set tokens = used.tokens + excluded.tokens
      where used.tokens + excluded.tokens <= coalesce(allowed.tokens_per_month, used.tokens + excluded.tokens);
  end if;
  if reserve > allowed.tokens_per_month or not found then
    refused_by := 'tokens_per_month';
    retry_after := seconds_until(utc_midnight((tutor_month() + interval '1 month')::date));
    return;
  end if;

  insert into llm_calls (university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens)
  values (item.university_id, item.course_id, item.id, person, the_question, the_model, reserve)
  returning id into call;
  update generations set call_id = call where id = the_generation;
end;
$$;
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
  the_session bigint, the_token uuid, is_shared boolean, the_parent bigint, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb
) returns table (
  generation bigint, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
  node cache_nodes;
  hash text := sha256_hex(the_message);
  alive_until timestamptz;
  limited_until timestamptz;
  stopping boolean := false;
  path bigint[];
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := lock_path_shared(the_parent);
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
    alive_until := clock_timestamp() + producer_lease();
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
-- Completes a person's enrollment where that is earned. Of two last items that are completed at once, the second waits,
-- and sees the first.
create or replace function complete_enrollment(offering integer, person integer, moment timestamptz) returns void
language plpgsql as $$
declare
  former text;
begin
  perform pg_advisory_xact_lock(offering, person);
  if not exists (
    select from enrollments where course_offering_id = offering and user_id = person and is_admitted
      and (status = 'active' or completion_source = 'self')
  ) or not is_earned(offering, person) then return; end if;
  perform lock_course_key_shared(offering);
  perform from course_offerings where id = offering for no key update;
  select status into former from enrollments
  where course_offering_id = offering and user_id = person and is_admitted
    and (status = 'active' or completion_source = 'self') for no key update;
  if not found then return; end if;
  update enrollments set status = 'completed', completion_source = 'result', completed_at = moment
  where course_offering_id = offering and user_id = person;
  if former = 'active' then perform free_seat(offering, person, moment); end if;
end $$;
--> statement-breakpoint
-- Keeps how the trees of these people stand. One that is as it was is not written.
create or replace function count_course_progress_again(offering integer, people integer[]) returns void language plpgsql as $$
begin
  lock table course_trees in share row exclusive mode;
  with tree as materialized (
    select * from course_progress_dates(offering, people)
  ), gone as (
    delete from course_trees as kept
    where kept.course_offering_id = offering and kept.user_id = any (people)
      and kept.user_id not in (select tree.user_id from tree)
  )
  insert into course_trees as kept select * from tree
  on conflict (course_offering_id, user_id) do update
    set completed_on = excluded.completed_on, begun_on = excluded.begun_on, fresh_on = excluded.fresh_on
    where (kept.completed_on, kept.begun_on, kept.fresh_on)
      is distinct from (excluded.completed_on, excluded.begun_on, excluded.fresh_on);
end $$;
--> statement-breakpoint
-- Counts so many more rows of the days that are over; answers whether more is left. A day is over for three hours before
-- it is counted: what is written as of now is committed by then.
create or replace function count_days(most integer) returns boolean language plpgsql as $$
declare
  past timestamptz := utc_midnight(utc_day(service_now() - interval '3 hours'));
  counting scheduled_tasks;
  counted timestamptz;
begin
  select * into counting from scheduled_tasks where name = 'count' for update;
  counted := counted_to(counting);
  if counted > past then
    update scheduled_tasks set begun_at = past, reached_at = null where name = 'count';
    return true;
  end if;
  -- From here on days are counted anew, as after an upgrade, or when the clock was set back.
  if counted is distinct from counting.reached_at then
    if not delete_counted(utc_day(counted), most) then
      update scheduled_tasks set reached_at = counted where name = 'count';
    end if;
    return true;
  end if;
  if counted = past then return false; end if;
  update scheduled_tasks as task set begun_at = utc_midnight(utc_day(step.reached)), reached_at = step.reached
  from (select next_step(counted, past, most) as reached) as step where task.name = 'count'
  returning task.* into counting;
  perform count_step(counted, counting.reached_at);
  return counting.reached_at < past;
end $$;
--> statement-breakpoint
create or replace function count_popularity_again(course integer) returns void language plpgsql as $$
declare
  counted integer;
  taught integer[];
begin
  select enrollments into counted from course_popularity
    where course_id = course and subject_id is null for update;
  taught := array(
    select subject_id from course_subjects where course_id = course
    union select primary_subject_id from courses where id = course and primary_subject_id is not null);
  delete from course_popularity
    where course_id = course and subject_id is not null and subject_id <> all (taught);
  insert into course_popularity (course_id, subject_id, enrollments)
    select course, subject, counted from unnest(taught) as subject on conflict do nothing;
end $$;
--> statement-breakpoint
create or replace function count_popularity_of_course_again() returns trigger language plpgsql as $$
begin
  insert into course_popularity (course_id) values (new.id) on conflict do nothing;
  perform count_popularity_again(new.id);
  return null;
end $$;
--> statement-breakpoint
create or replace function count_popularity_of_subject_again() returns trigger language plpgsql as $$
begin
  perform count_popularity_again(id) from courses where id = coalesce(new.course_id, old.course_id);
  return null;
end $$;
--> statement-breakpoint
-- Works out how far these people are, and keeps it, of those who are enrolled.
create or replace function count_progress_again(offering integer, people integer[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(offering, one.person)
  from (select person from unnest(people) as person order by person) as one;
  insert into enrollment_progress as kept (user_id, course_offering_id, progress_percent, completed_items)
  select own.user_id, offering, own.progress_percent, own.completed_items
  from progress_of(offering, people) as own
  join enrollments as mine on mine.user_id = own.user_id and mine.course_offering_id = offering
  on conflict (user_id, course_offering_id) do update
    set progress_percent = excluded.progress_percent, completed_items = excluded.completed_items
    where (kept.progress_percent, kept.completed_items) <> (excluded.progress_percent, excluded.completed_items);
end $$;
--> statement-breakpoint
-- How these people stand with the published modules of an offering's course; no row before they have begun one. A tree is
-- complete when all its items are, and what was posted of each module that has none in or below it. What they begin or
-- complete keeps it fresh for 14 days.
create or replace function course_progress_dates(offering integer, people integer[]) returns setof course_trees
language sql stable as $$
  with recursive run as (
    select o.course_id from course_offerings as o where o.id = offering
  ), item as materialized (
    select counting.item_id, counting.module_id from run cross join lateral counting_items(run.course_id) as counting
  ), filled (module_id) as (
    select item.module_id from item
    union
    select m.parent_module_id from filled join modules as m on m.id = filled.module_id
    where m.parent_module_id is not null
  ), shown as (
    select m.id from run join modules as m using (course_id) where m.parent_module_id is null and m.is_published
    union all
    select below.id from shown join modules as below on below.parent_module_id = shown.id and below.is_published
  ), module as materialized (
    select shown.id, shown.id not in (select filled.module_id from filled) as is_needed from shown
  ), needed as materialized (
    select (select count(*) from item) + (select count(*) from module where module.is_needed) as parts
  ), part as (
    select mine.user_id, mine.first_started_at as started_at, mine.completed_at
    from user_content_progress as mine join item on item.item_id = mine.content_item_id
    where mine.course_offering_id = offering and mine.user_id = any (people)
    union all
    select posted.user_id, posted.started_at, case when module.is_needed then posted.completed_at end
    from user_module_progress as posted join module on module.id = posted.module_id
    where posted.course_offering_id = offering and posted.user_id = any (people)
  )
  select offering, part.user_id, run.course_id,
         case when count(part.completed_at) = 2 * needed.parts
              then max(step.day) filter (where part.completed_at is not null) end,
         utc_day(min(part.started_at)), range_agg(daterange(step.day, step.day + 14))
  from run, needed, part,
       lateral (values (utc_day(part.started_at)), (utc_day(greatest(part.started_at, part.completed_at)))) as step (day)
  group by part.user_id, run.course_id, needed.parts
$$;
--> statement-breakpoint
-- Adds the next version of a name, with `latest` and the labels wanted. `tagged` null keeps the name's tags.
-- `referenced`, in order: `[{"child_name": "tone", "child_version": null, "child_label": "formal", "occurrences": 1,
-- "tag_characters": 43}, …]`. What no change may break is how deep references nest, at most `deepest` levels, and
-- how long a resolved text is, at most `longest` characters. What reaches a label and carries one of the `guarded` ones
-- is not the caller's to change.
create or replace function create_prompt_version(
  named text, body text, settings jsonb, wanted text[], guarded text[], tagged text[], message text,
  referenced jsonb, person integer, deepest integer, longest integer
) returns setof prompt_versions language plpgsql as $$
declare
  number integer;
  made integer;
  checked integer[];
begin
  perform lock_prompts();
  insert into prompt_names (name, tags, latest_version) values (named, coalesce(tagged, '{}'), 1)
  on conflict (name) do update set
    latest_version = prompt_names.latest_version + 1, version = prompt_names.version + 1,
    tags = coalesce(tagged, prompt_names.tags)
  returning latest_version into number;
  insert into prompts (name, version, prompt, config, commit_message, created_by)
  values (named, number, body, settings, message, person) returning id into made;
  insert into prompt_dependencies
    (prompt_id, position, child_name, child_version, child_label, occurrences, tag_characters)
  select made, position, child_name, child_version, child_label, occurrences, tag_characters
  from rows from (
    jsonb_to_recordset(referenced)
      as (child_name text, child_version integer, child_label text, occurrences integer, tag_characters integer)
  ) with ordinality
    as one (child_name, child_version, child_label, occurrences, tag_characters, position);
  wanted := array_append(wanted, 'latest');
  perform refuse_move_below_guarded(named, wanted, guarded);
  checked := made || resolvable_prompts_reaching(named, wanted, deepest, longest);
  perform put_prompt_labels(named, wanted, made, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  return query select * from prompt_versions where id = made;
end $$;
--> statement-breakpoint
-- Forgets some of what was counted of a day and those after it; answers whether more is left.
create or replace function delete_counted(first date, most integer) returns boolean
language plpgsql set enable_seqscan = off as $$
declare
  days integer;
  sums integer;
begin
  delete from activity_days where ctid = any (array(
    select ctid from activity_days where day >= first and user_id > 0 order by day limit most));
  get diagnostics days = row_count;
  delete from report_totals where ctid = any (array(
    select ctid from report_totals
    where measure in ('hits', 'misses', 'joined') and day >= first and not is_kept limit most));
  get diagnostics sums = row_count;
  return greatest(days, sums) = most;
end $$;
--> statement-breakpoint
-- Forgets who was linked by a provider: another issuer may give the same subjects to others.
create or replace function delete_identities(provider_name text) returns void language sql as $$
  delete from user_identities where provider = provider_name
$$;
--> statement-breakpoint
-- Takes the words out of a post, which keeps its place. It answers its thread no longer.
create or replace function delete_post(the_post bigint) returns void language plpgsql as $$
begin
  perform lock_thread_of(the_post);
  update discussion_posts set body = '', is_deleted = true, updated_at = service_now() where id = the_post and not is_deleted;
  update discussion_threads set answer_post_id = null where answer_post_id = the_post;
end $$;
--> statement-breakpoint
-- Deletes a version of a name, or all of them where `number` is null; the name goes with its last version. Refused
-- while another prompt depends on what would go: the version, or a label that no version would carry any more.
-- `latest` goes to the newest version that remains, unless that breaks what follows it. False when there is nothing to
-- delete.
create or replace function delete_prompt_versions(
  named text, number integer, person integer, deepest integer, longest integer
) returns boolean language plpgsql as $$
declare
  doomed integer[];
  heir integer;
  lost text[];
  dependents text;
  checked integer[];
begin
  perform lock_prompts();
  doomed := array(
    select id from prompts where name = named and (number is null or version = number));
  if doomed = '{}' then return false; end if;
  select id into heir from prompts where name = named and id <> all (doomed)
  order by version desc limit 1;
  lost := array(
    select label from prompt_labels
    where prompt_id = any (doomed) and (label <> 'latest' or heir is null));
  select string_agg(name || ' (version ' || version || ')', ', ' order by name, version) into dependents
  from prompts where id in (
    select prompt_id from prompt_dependencies
    where child_name = named
      and (heir is null or child_version = number or child_label = any (lost)));
  if dependents is not null then perform refuse_prompt_change('prompt_dependents', dependents); end if;
  perform put_prompt_labels(named, lost, null, person);
  if heir is null then
    delete from prompt_names where name = named;
  else
    checked := resolvable_prompts_reaching(named, '{latest}', deepest, longest);
    perform put_prompt_labels(named, '{latest}', heir, person);
    delete from prompts where id = any (doomed);
    update prompt_names set version = version + 1 where name = named;
    perform refuse_broken_prompts(checked, deepest, longest);
  end if;
  return true;
end $$;
--> statement-breakpoint
-- Gives a post other words, unless its thread is locked or it was deleted. No row: the post is gone.
create or replace function edit_post(the_post bigint, words text, moment timestamptz)
returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads := lock_thread_of(the_post);
begin
  select * into post from discussion_posts where id = the_post for no key update;
  if not found then return; end if;
  refusal := case when post.is_deleted then 'deleted' when thread.is_locked then 'locked' end;
  if refusal is null then
    update discussion_posts set body = words, updated_at = moment where id = the_post returning * into post;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. Who has a seat elsewhere in the course and term may wait, and no more. No row:
-- the offering is gone.
--
-- With `staff` it is they who enroll the person, which the audit log is told with `request`: no key is asked for, and
-- where they override it, neither the window nor the prerequisites nor the capacity nor a seat elsewhere keep anyone
-- out; with `doubles` at least the seat elsewhere does not. For themselves they are nobody's staff: what keeps others out
-- keeps them out, and to override it is refused as 'own'.
create or replace function enroll(
  offering integer, person integer, moment timestamptz, the_key text default null, staff integer default null,
  overrides boolean default false, request jsonb default null, doubles boolean default false
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  passed text;
  waits boolean;
  is_double boolean;
begin
  perform lock_course_key_shared(offering);
  select * into run from course_offerings where id = offering for no key update;
  if not found then return; end if;
  if staff = person then
    if overrides then
      refusal := 'own';
      return next;
      return;
    end if;
    staff := null;
    doubles := false;
  end if;
  select * into refusal, missing from refusal_to_enroll(run, person, moment);
  if staff is null and refusal is distinct from 'not_open' then
    refusal := coalesce(refusal_of_key(run, person, the_key, moment), refusal);
  end if;
  waits := is_full(run);
  if refusal is null and waits and is_list_closed(run, moment) then refusal := 'full'; end if;
  if overrides then
    passed := coalesce(refusal, case when waits then 'full' end);
    refusal := null;
    waits := false;
  end if;
  is_double := not waits and has_seat_elsewhere(run, person, moment);
  if is_double and (overrides or doubles) then
    passed := concat_ws(', ', passed, 'enrolled_in_course');
  elsif is_double then
    refusal := coalesce(refusal, 'enrolled_in_course');
  end if;
  if refusal is distinct from 'not_open' and exists (
    select from enrollments
    where course_offering_id = offering and user_id = person and status <> 'dropped'
  ) then
    refusal := 'already_enrolled';
  end if;
  -- Which nobody overrides.
  refusal := coalesce(refusal_of_inactive(run.university_id, person), refusal);
  if refusal is null then
    insert into enrollments as placed (user_id, course_offering_id, status, enrolled_at)
    values (person, offering, case when waits then 'waitlisted' else 'active' end,
            case when waits then end_of_waiting_list(offering, moment) else moment end)
    on conflict (user_id, course_offering_id) do update
      set status = excluded.status, enrolled_at = excluded.enrolled_at
    returning placed.* into enrollment;
    insert into user_university_roles (user_id, university_id, role)
    select person, run.university_id, 'student' where not exists (
      select from user_university_roles
      where user_id = person and university_id = run.university_id
    ) on conflict do nothing;
    waits_at := position_in_line(enrollment);
    if staff is not null then
      perform audit('enrollment.created', staff, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
        'course_offering_id', offering, 'override', overrides, 'passed', passed)), request);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql, `key` that of former-accounts.sql. It acts with its owner's rights as a whole, so that nobody is taken
-- out of the audit log but by the end of their account.
create or replace function erase_account(
  person integer, version integer, keep_certificates boolean, request jsonb, key bytea default null
) returns boolean language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '25s' as $$
declare
  own users;
  moment timestamptz := (request ->> 'at')::timestamptz;
  -- Whether they have done anything to others or to a university, for which someone may have to answer.
  held_office boolean;
  -- Where they wait they may be given a place just now, which is free then.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform refuse_last_administrator(person);
  -- Before all that an import gives, as whoever works it has them.
  perform from imports where created_by_user_id = person order by id for no key update;
  perform from import_rows where email = (select email from users where id = person) order by id for update;
  -- Before the places and the person, as whoever grades or revokes them has it; and nobody does while they are counted.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  perform from certificates where user_id = person order by id for update;
  perform lock_offerings(held_offerings);
  -- Nobody follows a link to them any more.
  update chat_sessions set share_enabled = false, share_token = null where user_id = person and share_token is not null;
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  if keep_certificates then perform leave_certificates(person); end if;

  perform note_identifiers(person, key);
  insert into erasures (user_id, begun_at) values (person, moment);
  delete from message_feedback where message_id in (
    select said.id from chat_sessions as talk join chat_messages as said on said.session_id = talk.id
    where talk.user_id = person);
  perform keep_statistics(person);
  perform leave_office(person);
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  held_office := exists (select from audit_events where actor_id = person and subject_id is distinct from person);
  if held_office then
    insert into audit_people (user_id, full_name, email, erased_at) values (person, own.full_name, own.email, moment)
    on conflict do nothing;
  end if;
  -- What they did to others stays theirs, and what others did to an office's holder.
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where (actor_id = person or subject_id = person)
    and not (held_office and actor_id is not null and subject_id is distinct from actor_id);
  -- The streak runs out by itself: until then the people who have one stay as many.
  update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
    locale = default, time_zone = default, made_by_university_id = null, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_seats(offering, moment) from unnest(held_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Erases some conversations of those who erased their accounts, of one person about one item, with the stored answers that
-- only their words led to; answers whether more may be left. An erasure ends, and is told to the audit log, when nothing
-- is left and no request of its account can be under way any more.
create or replace function erase_conversations(moment timestamptz, most integer) returns boolean language plpgsql as $$
declare
  next chat_sessions;
  doomed bigint[];
  ended integer;
begin
  select talk.* into next from erasures join chat_sessions as talk on talk.user_id = erasures.user_id
  order by erasures.begun_at, talk.user_id, talk.content_item_id limit 1;
  if found then
    doomed := lock_own_words(next.user_id, next.content_item_id);
    delete from generations where id in (select answers_to_own_words(next.user_id, doomed, next.content_item_id));
    delete from cache_nodes where id = any (doomed);
    delete from chat_sessions where id in (
      select id from chat_sessions
      where user_id = next.user_id and content_item_id = next.content_item_id order by id limit most);
    return true;
  end if;
  for ended in
    delete from erasures where begun_at < moment - interval '1 hour' returning user_id
  loop
    perform audit('account.erasure_ended', null, null, null, jsonb_build_object('user_id', ended),
      jsonb_build_object('at', moment));
  end loop;
  return false;
end $$;
--> statement-breakpoint
-- Takes calls for lost whose maker told no end, and gives back to their universities' months what they reserved; answers
-- how many. One that tells its end after all is counted then.
create or replace function expire_calls(the_calls bigint[]) returns integer language plpgsql as $$
declare
  counted integer;
begin
  with lost as (
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = any (the_calls) and outcome = 'started'
    returning university_id, date_trunc('month', started_at at time zone 'UTC')::date as month, reserved_tokens
  ), reserved as (
    select university_id, month, sum(reserved_tokens) as tokens from lost group by university_id, month
  ), given_back as (
    update tutor_months as used set tokens = used.tokens - reserved.tokens
    from reserved where used.university_id = reserved.university_id and used.month = reserved.month
  )
  select count(*) into counted from lost;
  return counted;
end $$;
--> statement-breakpoint
-- The same of up to `most` calls that are open for longer than any answer is made: their makers were killed.
create or replace function expire_forgotten_calls(most integer) returns integer language sql as $$
  select expire_calls(array(
    select id from llm_calls where outcome = 'started' and started_at < service_now() - 2 * answer_limit()
    order by id limit most for update skip locked))
$$;
--> statement-breakpoint
-- Notes that the LLM failed at an attempt, and `how` its call ended. After the first failure its maker tells the answer anew, after the second,
-- or where its provider wants to be left alone for `seconds`, it has failed for everyone: the state then, also when
-- asked again, and the `call` that it is told anew with. No row: the lease is lost.
create or replace function fail_generation(
  the_generation bigint, maker uuid, failed_attempt integer, the_call bigint, used jsonb, seconds integer,
  how text
) returns table (state text, call bigint) language plpgsql as $$
#variable_conflict use_column
declare
  is_failing boolean;
begin
  update generations set
    failures = failures + 1, attempt = attempt + 1,
    state = case when failures > 0 or seconds is not null then 'failed' else 'writing' end,
    retry_after = seconds,
    lease_until = least(clock_timestamp() + producer_lease(), maker_until)
  where id = the_generation and token = maker and state = 'writing' and attempt = failed_attempt;
  is_failing := found;
  if is_failing then
    delete from generation_pieces where generation_id = the_generation;
    perform drop_ended_generations(10);
  end if;
  perform end_call(the_call, how, used);
  if is_failing and exists (select from generations as g where g.id = the_generation and g.state = 'writing') then
    perform repeat_call(the_generation, the_call);
  end if;
  return query
    select g.state, g.call_id from generations as g
    where g.id = the_generation and g.token = maker and g.attempt = failed_attempt + 1;
end;
$$;
--> statement-breakpoint
create or replace function fill_places(offering integer, moment timestamptz, passed_over integer default null)
    returns void language sql as $$
      select fill_seats($1, $2, $3)
    $$;
--> statement-breakpoint
-- Free places go to those who have waited longest, all of them where there is no capacity, and they are told;
-- `passed_over` is who has just gone back to waiting. Whoever is inactive, or has a seat elsewhere in the course and
-- term, keeps waiting, where they stand.
create or replace function fill_seats(offering integer, moment timestamptz, passed_over integer default null)
returns void language sql as $$
  with placed as (
    update enrollments set status = 'active' where id in (
      select waiting.id from enrollments as waiting join course_offerings as run on run.id = waiting.course_offering_id
      where run.id = offering and waiting.status = 'waitlisted' and waiting.id is distinct from passed_over
        and not is_list_closed(run, moment)
        and refusal_of_inactive(waiting.university_id, waiting.user_id) is null
        and not has_seat_elsewhere(run, waiting.user_id, moment)
      order by waiting.enrolled_at, waiting.id
      limit (
        select capacity - least(capacity, seats_taken(id)) from course_offerings where id = offering
      )
    )
    returning user_id
  )
  select notify(array_agg(user_id), 'place_obtained', 'place:' || offering || ':' || extract(epoch from moment), moment,
                offering)
  from placed having count(*) > 0
$$;
--> statement-breakpoint
-- Places that came free while a university or a person was inactive go to those who wait when it is active again.
create or replace function fill_seats_again() returns trigger language plpgsql as $$
declare
  offerings integer[] := array(
    select distinct course_offering_id from enrollments
    where status = 'waitlisted' and case tg_table_name
      when 'universities' then university_id = new.id else user_id = new.id end
    order by 1);
begin
  perform lock_offerings(offerings);
  perform fill_seats(offering, service_now()) from unnest(offerings) as offering;
  return null;
end $$;
--> statement-breakpoint
-- Makes the grades of people final who have or had a place in an offering, of these or of all: of those whose grade is
-- open and whose id comes after `after`, at most `most`, by their ids. Answers each, with the items that they await.
-- `outcome`: 'final'; 'awaiting', who are left out unless `with_awaiting`; or 'gradable', whose attempts are closed here and
-- have to be graded first. Whoever asks again with `grades`, even none, is told nobody's. With `dry` nothing is written:
-- what is closed and graded on the way is undone.
--
-- An enrollment is completed where that was all that it waited for, and one that was completed by a grade that is passed no
-- more is active again. Nobody makes a grade of their own final.
create or replace function finalize_grades(
  offering integer, people integer[], after integer, most integer, finalizer integer, with_awaiting boolean,
  grades jsonb, dry boolean, why text, moment timestamptz, request jsonb
) returns table (user_id integer, outcome text, passed boolean, awaited integer[]) language plpgsql as $$
#variable_conflict use_column
declare
  chosen integer[];
  judged jsonb;
  worth record;
  graded course_grades;
  failed integer[] := '{}';
begin
  perform lock_grades(offering);
  chosen := array(
    select one.user_id from enrollments as one
    where one.course_offering_id = offering and one.is_admitted and one.user_id <> finalizer and one.user_id > after
      and (people is null or one.user_id = any (people)) and not is_grade_final(offering, one.user_id)
    order by one.user_id limit most);
  begin
    perform end_attempts(offering, chosen, coalesce(grades, '[]'), moment);
    select jsonb_agg(jsonb_build_object(
        'user_id', total.user_id, 'awaited', coalesce(waiting.items, '{}'),
        'outcome', case when waiting.is_gradable and grades is null then 'gradable'
                        when waiting.items is not null and not with_awaiting then 'awaiting'
                        else 'final' end,
        'score', standing.score, 'letter', letter_of(scheme.letter_scale, standing.score),
        'passed', standing.score >= scheme.passing_percent) order by total.user_id)
    into judged
    from grade_totals(offering, chosen, false) as total
    cross join grading_of(offering) as scheme
    left join course_grades as former on former.course_offering_id = offering and former.user_id = total.user_id
    cross join lateral (select coalesce(former.score_override, total.final_percent, 0) as score) as standing
    left join (
      select one.user_id, array_agg(one.item_id order by one.item_id) as items, bool_or(one.is_gradable) as is_gradable
      from awaited_items(offering, chosen, moment) as one group by one.user_id
    ) as waiting on waiting.user_id = total.user_id;
    if dry then raise exception using errcode = 'UNDO0'; end if;
  exception when sqlstate 'UNDO0' then null;
  end;

  for worth in
    select * from jsonb_to_recordset(coalesce(judged, '[]')) as one (
      user_id integer, outcome text, score numeric, letter text, passed boolean, awaited integer[])
  loop
    if worth.outcome = 'final' and not dry then
      insert into course_grades as one (course_offering_id, user_id, final_score, letter_grade, passed, graded_at)
      values (offering, worth.user_id, worth.score, worth.letter, worth.passed, moment)
      on conflict (user_id, course_offering_id) do update
        set final_score = excluded.final_score, letter_grade = excluded.letter_grade, passed = excluded.passed,
            graded_at = excluded.graded_at, outdated_at = null
      returning one.* into graded;
      perform note_grade_change('finalized', offering, worth.user_id, null, null, grade_of_course(graded), why, finalizer,
        moment, request);
      if not graded.passed then failed := failed || worth.user_id; end if;
    end if;
    user_id := worth.user_id;
    outcome := worth.outcome;
    passed := worth.passed;
    awaited := worth.awaited;
    return next;
  end loop;
  if exists (
    select from enrollments as one
    where one.course_offering_id = offering and one.user_id = any (failed) and one.completion_source = 'result'
  ) then
    perform lock_course_key_shared(offering);
    perform from course_offerings where id = offering for no key update;
    update enrollments as one set status = 'active', completion_source = null, completed_at = null
    where one.course_offering_id = offering and one.user_id = any (failed) and one.completion_source = 'result';
  end if;
end $$;
--> statement-breakpoint
-- Keeps the scores of an item in step with it, within the statement that changes it: with its type, which stays once it
-- has results, and with its points, in all offerings of its course. Where scores stand, `rescales` says whether they are
-- scaled to the new points or stay as they are; attempts at a quiz are parts of a whole, and scale in either case. Each
-- change is noted; final grades stay. Raises for another type, without `rescales`, and for a score that would be over the
-- most points of the item.
create or replace function fit_scores_to_item(
  the_item content_items, former_type integer, former jsonb, rescales boolean, changer integer, moment timestamptz,
  request jsonb
) returns void language plpgsql as $$
declare
  was numeric := former -> 'points';
  points numeric;
  most numeric;
  work lab_submissions;
  regraded lab_submissions;
  own item_grades;
  reset item_grades;
  quizzed record;
begin
  select points_of_item(type.name, the_item.data_json), most_points_of_item(type.name, the_item.data_json)
  into points, most from content_types as type where type.id = the_item.content_type_id;
  if the_item.content_type_id = former_type and points = was and most >= (former -> 'most')::numeric then return; end if;
  if the_item.content_type_id <> former_type then
    perform lock_item_type(the_item.id);
  end if;
  perform lock_grades(run.id)
  from (select id from course_offerings where course_id = the_item.course_id order by id) as run;
  if the_item.content_type_id <> former_type then
    if exists (select from quiz_attempts where content_item_id = the_item.id)
       or exists (select from lab_submissions where content_item_id = the_item.id)
       or exists (select from item_grades where content_item_id = the_item.id) then
      raise exception 'content item % has results', the_item.id
        using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_keep_type';
    end if;
    return;
  end if;
  if points <> was then
    if rescales is null and (
      exists (select from quiz_attempts where content_item_id = the_item.id and score_obtained is not null)
      or exists (select from lab_submissions where content_item_id = the_item.id and score_obtained is not null)
      or exists (select from item_grades where content_item_id = the_item.id and score_override is not null)
    ) then
      raise exception 'content item % has scores', the_item.id
        using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_say_rescale';
    end if;
    for work in
      select * from lab_submissions
      where content_item_id = the_item.id and score_obtained is not null and max_score > 0 order by id for update
    loop
      update lab_submissions
      set score_obtained = round(work.score_obtained / work.max_score * case when rescales then points else was end, 2),
          max_score = points
      where id = work.id returning * into regraded;
      perform note_grade_of_submission('points_changed', work, regraded, null, changer, moment, request);
    end loop;
    perform from quiz_attempts where content_item_id = the_item.id and score_obtained is not null order by id for update;
    update quiz_attempts set grade_version = grade_version + 1
    where content_item_id = the_item.id and score_obtained is not null;
    for quizzed in
      select course_offering_id, user_id, max(score_obtained / nullif(max_score, 0)) as ratio
      from quiz_attempts where content_item_id = the_item.id and score_obtained is not null
      group by 1, 2 order by 1, 2
    loop
      perform note_grade_change('points_changed', quizzed.course_offering_id, quizzed.user_id, the_item.id,
        jsonb_build_object('score', round(quizzed.ratio * was, 2), 'max_score', was),
        jsonb_build_object('score', round(quizzed.ratio * points, 2), 'max_score', points), null, changer, moment, request);
    end loop;
  end if;
  if rescales and points <> was and was > 0 then
    -- All of them before the first enrollment is completed: see completion.sql.
    perform pg_advisory_xact_lock(one.course_offering_id, one.user_id)
    from (
      select course_offering_id, user_id from item_grades
      where content_item_id = the_item.id and score_override is not null order by 1, 2
    ) as one;
    for own in
      select * from item_grades where content_item_id = the_item.id and score_override is not null
      order by course_offering_id, user_id for update
    loop
      update item_grades set score_override = round(own.score_override / was * points, 2), version = own.version + 1
      where id = own.id returning * into reset;
      perform note_grade_change('points_changed', own.course_offering_id, own.user_id, the_item.id, grade_of_item(own),
        grade_of_item(reset), null, changer, moment, request);
    end loop;
  end if;
  if exists (select from lab_submissions where content_item_id = the_item.id and score_obtained > most)
     or exists (select from item_grades where content_item_id = the_item.id and score_override > most) then
    raise exception 'content item % has scores over %', the_item.id, most
      using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_hold_scores';
  end if;
end $$;
--> statement-breakpoint
create or replace function forget_audit_events(before timestamptz, most integer) returns integer language sql as $$
      select prune_audit_events($1, $2)
    $$;
--> statement-breakpoint
create or replace function forget_identities(provider_name text) returns void language sql as $$
      select delete_identities($1)
    $$;
--> statement-breakpoint
create or replace function forget_notifications(before timestamptz, most integer) returns integer language sql as $$
      select prune_notifications($1, $2)
    $$;
--> statement-breakpoint
-- The place that a person leaves goes to the next in line, `passed_over` as above; and where they wait in the course
-- themselves they are passed over no more.
create or replace function free_seat(offering integer, person integer, moment timestamptz, passed_over integer default null)
returns void language plpgsql as $$
begin
  perform fill_seats(offering, moment, passed_over);
  perform fill_seats(one.id, moment) from (
    select other.id
    from course_offerings as here join course_offerings as other on other.course_id = here.course_id
    join enrollments as waiting on waiting.course_offering_id = other.id
    where here.id = offering and other.id <> here.id and waiting.user_id = person and waiting.status = 'waitlisted'
    order by other.id
  ) as one;
end $$;
--> statement-breakpoint
create or replace function gate_of_item(
      item integer, person integer, moment timestamptz, as_learner boolean default false
    ) returns text language sql stable as $$
      select item_access($1, $2, $3, $4)
    $$;
--> statement-breakpoint
create or replace function gate_of_module(
      the_module integer, person integer, moment timestamptz, is_active boolean default true,
      item_available_from timestamptz default null, as_learner boolean default false
    ) returns text language sql stable as $$
      select module_access($1, $2, $3, $4, $5, $6)
    $$;
--> statement-breakpoint
-- Grades a submission by hand, over whatever grade it has; whose claim it was ends. `refusal` as for a claim, or 'too
-- many points' for more than are given in the item, which `bound` says. A final grade in which it would count is outdated
-- by it.
create or replace function grade_submission(
  the_submission bigint, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := lock_submission(the_submission);
  counted numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  submission := former;
  refusal := coalesce(refusal_to_grade(former, grader, moment),
    case when points > (bound -> 'most')::numeric then 'too many points' end);
  if refusal is null then
    counted := lock_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
    update lab_submissions as one
    set status = 'graded', score_obtained = points, max_score = (bound -> 'points')::numeric,
        instructor_feedback = feedback, grade_source = 'hand', graded_at = moment, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_graded', former, submission, why, grader, moment, request);
    perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
  end if;
  return next;
end $$;
--> statement-breakpoint
create or replace function has_place(person integer, the_course integer) returns boolean language sql stable as $$
      select has_seat($1, $2)
    $$;
--> statement-breakpoint
-- Whether a person has a place in a course, or completed it from one.
create or replace function has_seat(person integer, the_course integer) returns boolean language sql stable as $$
  select exists (
    select from enrollments join course_offerings as run on run.id = course_offering_id
    where user_id = person and is_admitted and run.course_id = the_course
  )
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
-- Takes from a person what the university of an import gave them: their roles, what they teach, and their places. The account stays.
-- Answers whether there was anything; null when they hold a role that the importer could not grant.
create or replace function import_leaving(import imports, person integer, request jsonb) returns boolean
language plpgsql as $$
declare
  places integer[];
  roles_left integer;
begin
  if exists (
    select from user_university_roles as held
    where held.user_id = person and held.university_id = import.university_id
      and not may_grant(import.created_by_user_id, held.role, held.university_id, held.department_id)
  ) then
    return null;
  end if;
  places := array(
    select id from enrollments
    where user_id = person and university_id = import.university_id and status in ('active', 'pending', 'waitlisted')
    -- Seats are left last, so that none is given where the person waits.
    order by status = 'active', id);
  perform lock_offerings(array(select course_offering_id from enrollments where id = any (places)));
  perform set_enrollment_status(place, 'dropped', false, sent_at(request)) from unnest(places) as place;
  delete from course_offering_instructors as teaching using course_offerings as run
  where teaching.user_id = person and run.id = teaching.course_offering_id and run.university_id = import.university_id;
  with gone as (
    delete from user_university_roles where user_id = person and university_id = import.university_id returning *
  ), audited as (
    insert into audit_events
      (action, actor_id, subject_id, university_id, details, occurred_at, request_id, from_address)
    select 'role.revoked', import.created_by_user_id, gone.user_id, gone.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', gone.role, 'department_id', gone.department_id, 'import_id', import.id)),
      sent_at(request), request ->> 'id', request ->> 'from'
    from gone
  )
  select count(*) into roles_left from gone;
  return roles_left > 0 or cardinality(places) > 0;
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
  perform lock_offerings(array(
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
create or replace function is_full(offering course_offerings) returns boolean language sql as $$
  select coalesce(offering.capacity <= seats_taken(offering.id), false)
$$;
--> statement-breakpoint
-- The same of a content item.
create or replace function item_access(
  item integer, person integer, moment timestamptz, as_learner boolean default false
) returns text language sql stable as $$
  select module_access(one.module_id, person, moment, one.is_active, one.available_from, as_learner)
  from content_items as one where one.id = item
$$;
--> statement-breakpoint
create or replace function keep_course(offering integer) returns void language sql as $$
      select lock_course_key_shared($1)
    $$;
--> statement-breakpoint
-- What counts for a person in an item by their own work, nothing where it is not graded: null unless their grade is final
-- and made of it. Holds the final grade.
create or replace function lock_counted_score(offering integer, person integer, item integer) returns numeric
language plpgsql as $$
begin
  perform from course_grades as own
  where own.course_offering_id = offering and own.user_id = person
    and own.graded_at is not null and own.score_override is null for no key update;
  if not found then return null; end if;
  return (
    select coalesce(cell.score, 0)
    from graded_items(offering) as counted
    join grade_cells(offering, array[person]) as cell on cell.item_id = counted.item_id
    where counted.item_id = item and counted.weight > 0 and cell.state not in ('excused', 'overridden'));
end $$;
--> statement-breakpoint
-- Whoever takes or gives up a place keeps the course from being deleted first, and only then locks the offering and
-- the popularity: a deletion takes the course before both, so that the two never wait for each other. A person has a
-- seat in one offering of a course and term, and who gets a free one is known only once the offering is looked at: so
-- the changes of all offerings of a course come one after another.
create or replace function lock_course_key_shared(offering integer) returns void language plpgsql as $$
declare
  course integer := (select course_id from course_offerings where id = offering);
begin
  perform from courses where id = course for key share;
  perform pg_advisory_xact_lock(hashtextextended('seats of a course', course));
end $$;
--> statement-breakpoint
create or replace function lock_grades(offering integer) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('grades of an offering', offering))
$$;
--> statement-breakpoint
create or replace function lock_grades_shared(offering integer) returns void language sql as $$
  select pg_advisory_xact_lock_shared(hashtextextended('grades of an offering', offering))
$$;
--> statement-breakpoint
-- Waits for whatever else changes what invitations name, in the order in which all others do.
create or replace function lock_invited_scopes(invited integer[]) returns void language plpgsql as $$
begin
  perform from universities where id in (select university_id from invitations where id = any (invited))
  order by id for key share;
  perform from departments where id in (select department_id from invitations where id = any (invited))
  order by id for key share;
  perform lock_offerings(array(select course_offering_id from invitations where id = any (invited)));
end $$;
--> statement-breakpoint
-- The same of several offerings, and these: first the courses, then the offerings, by their ids.
create or replace function lock_offerings(offerings integer[]) returns void language plpgsql as $$
begin
  perform lock_course_key_shared(one.offering) from (
    select min(id) as offering from course_offerings where id = any (offerings) group by course_id order by course_id
  ) as one;
  perform from course_offerings where id = any (offerings) order by id for no key update;
end $$;
--> statement-breakpoint
-- Holds what goes of the shared answers, with all below it, and the person's sessions, of one item or of all; answers
-- those nodes.
create or replace function lock_own_words(person integer, item integer default null) returns bigint[]
language plpgsql set enable_seqscan = off as $$
declare
  doomed bigint[] := array(select nodes_of_own_words(person, item));
begin
  perform from cache_nodes
  where id = any (doomed || array(select nodes_below(one) from unnest(doomed) as one)) order by id for update;
  perform from generations where id in (select answers_to_own_words(person, doomed, item)) order by id for update;
  perform from chat_sessions
  where user_id = person and (item is null or content_item_id = item) order by id for update;
  -- Looked at anew, now that they say nothing more; what is just locked is being said by someone else too.
  return array(
    select id from cache_nodes where id = any (array(select nodes_of_own_words(person, item)))
    for update skip locked);
end $$;
--> statement-breakpoint
-- The nodes from the root down to a node, held, so that no text of the path is replaced before the answer that is made
-- from it can be seen by whoever replaces it. The node itself is missing where it is gone.
create or replace function lock_path_shared(the_node bigint) returns bigint[] language sql as $$
  with recursive above (id, parent_id) as (
    select id, parent_id from cache_nodes where id = the_node
    union all
    select node.id, node.parent_id from above join cache_nodes as node on node.id = above.parent_id
  ), held as (
    select id from cache_nodes where id in (select id from above) order by id for share
  )
  select coalesce(array_agg(id), '{}') from held
$$;
--> statement-breakpoint
-- Takes a submission for a change of its grade: first the grades of its offering, then itself.
create or replace function lock_submission(the_submission bigint) returns lab_submissions language plpgsql as $$
declare
  held lab_submissions;
begin
  perform lock_grades_shared(course_offering_id) from lab_submissions where id = the_submission;
  select * into held from lab_submissions where id = the_submission for update;
  return held;
end $$;
--> statement-breakpoint
-- Holds a node and all that are below it, so that none is told, answered below or stood upon from here on.
create or replace function lock_subtree(the_node bigint) returns void language plpgsql as $$
declare
  held integer;
  counted integer := 0;
begin
  -- A node that was just being stored below one of them is seen at the next look.
  loop
    held := counted;
    select count(*) into counted from (
      select from cache_nodes
      where id = the_node or id in (select nodes_below(the_node)) order by id for update) as node;
    exit when counted = held;
  end loop;
end;
$$;
--> statement-breakpoint
-- The thread of a post, held so that nobody locks it or posts in it meanwhile.
create or replace function lock_thread_of(the_post bigint) returns discussion_threads language sql as $$
  select * from discussion_threads where id = (select thread_id from discussion_posts where id = the_post)
  for no key update
$$;
--> statement-breakpoint
-- Looks anew at the next `most` people of a course that was edited; answers whether more are left. Each course has a
-- round, which goes through its runs and their people by their ids; of several the one comes next that has waited longest.
-- What is edited during a round has the next one.
create or replace function look_anew(most integer) returns boolean language plpgsql as $$
declare
  round stale_outlines;
  run integer;
  people integer[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('looking anew', 0)) then return false; end if;
  with noted as (
    delete from stale_outlines as note where note.course_offering_id is null and not exists (
      select from stale_outlines as begun
      where begun.course_id = note.course_id and begun.course_offering_id is not null)
    returning note.course_id, note.includes_ended
  )
  insert into stale_outlines (course_id, includes_ended, course_offering_id, looked_at)
  select noted.course_id, bool_or(noted.includes_ended), 0, service_clock() from noted group by noted.course_id;
  select * into round from stale_outlines as one
  where one.course_offering_id is not null order by one.looked_at, one.course_id limit 1;
  if not found then return false; end if;

  select one.id into run from course_offerings as one
  where one.course_id = round.course_id and one.id >= round.course_offering_id
    and (round.includes_ended or is_run_open(one))
  order by one.id limit 1;
  if run is null then
    delete from stale_outlines as one where one.course_id = round.course_id and one.course_offering_id is not null;
    return exists (select from stale_outlines);
  end if;
  if run > round.course_offering_id then round.done_to := 0; end if;
  people := array(
    select one.user_id from (
      (select mine.user_id from enrollments as mine
       where mine.course_offering_id = run and mine.user_id > round.done_to order by 1 limit most)
      union
      (select distinct begun.user_id from user_module_progress as begun
       where begun.course_offering_id = run and begun.user_id > round.done_to order by 1 limit most)
    ) as one order by 1 limit most);
  if people <> '{}' then
    perform count_progress_again(run, people);
    perform count_course_progress_again(run, people);
  end if;
  update stale_outlines as one
  set course_offering_id = case when cardinality(people) < most then run + 1 else run end,
      done_to = case when cardinality(people) < most then 0 else people[most] end,
      looked_at = greatest(service_clock(), round.looked_at + interval '1 millisecond')
  where one.course_id = round.course_id and one.course_offering_id is not null;
  return true;
end $$;
--> statement-breakpoint
create or replace function lose_forgotten_calls(most integer) returns integer language sql as $$
      select expire_forgotten_calls($1)
    $$;
--> statement-breakpoint
create or replace function maker_lease() returns interval language sql immutable as $$
      select producer_lease()
    $$;
--> statement-breakpoint
-- Hides a post's words, or shows them again, which is what becomes of the reports of it that are open.
create or replace function moderate_post(the_post bigint, hide boolean, moment timestamptz)
returns setof discussion_posts language plpgsql as $$
begin
  perform lock_thread_of(the_post);
  update discussion_reports
  set outcome = case when hide then 'hidden' else 'kept' end, resolved_at = moment
  where post_id = the_post and outcome is null;
  return query update discussion_posts set is_hidden = hide where id = the_post returning *;
end $$;
--> statement-breakpoint
-- Why a person may not work with what is in a module at that moment: 'hidden', 'enrollment required', 'not available
-- yet'. Null when they may, as staff of the course always do, unless it is asked what stands before a learner. The person
-- is null for whoever is not signed in. An item may be inactive, or available later than its module.
create or replace function module_access(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null, as_learner boolean default false
) returns text language plpgsql stable as $$
declare
  course record;
  step record;
  above integer := the_module;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A step at a time: most modules are below none, and a recursive query costs more to begin than this does to do.
  while above is not null loop
    select m.course_id, m.parent_module_id, m.is_published, m.available_from, m.requires_module_ids
    into step from modules as m where m.id = above;
    above := step.parent_module_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  select c.id, c.access, c.is_published into course from courses as c where c.id = step.course_id;
  is_shown := is_shown and course.is_published;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when is_shown and lock_reason(course.access <> 'open', starts, required, required, moment) is null then null
    when not as_learner and is_staff_of_course(person, course.id) then null
    when not is_shown then 'hidden'
    else case lock_reason(course.access <> 'open' and not has_seat(person, course.id), starts, required,
        unmet_modules(person, course.id, required), moment)
      when 'enrollment_required' then 'enrollment required'
      when 'not_available_yet' then 'not available yet'
      when 'modules_incomplete' then 'not available yet' end
  end;
end $$;
--> statement-breakpoint
create or replace function note_stale_course_progress() returns trigger language plpgsql as $$
begin
  insert into stale_trees (course_offering_id, user_id)
  values (coalesce(new.course_offering_id, old.course_offering_id), coalesce(new.user_id, old.user_id));
  return null;
end $$;
--> statement-breakpoint
-- The offering that each row of a batch names: by its id, else by the source's. `is_coming` as in `import_batch`.
create or replace function offerings_of_batch(import imports, batch bigint[])
returns table (row_id bigint, offering integer, is_coming boolean) language sql stable as $$
  select one.id, coalesce(run.id, sourced.course_offering_id), import.is_dry_run and exists (
    select from import_rows as earlier
    where earlier.import_id = import.id and earlier.kind = 'offering' and earlier.outcome = 'created'
      and earlier.sourced_id = one.details ->> 'class_sourced_id')
  from import_rows as one
  left join course_offerings as run
    on run.id = (one.details ->> 'course_offering_id')::integer and run.university_id = import.university_id
  left join lateral (
    select known.course_offering_id from sourced_offerings as known
    where known.university_id = import.university_id and known.sourced_id = one.details ->> 'class_sourced_id' limit 1
  ) as sourced on true
  where one.id = any (batch)
$$;
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names, with the version of their tokens: stores their message with what
-- it does to the session and to their streak, and answers it where the tree holds the answer. Else it takes the
-- session's lease, and reads what answering takes. With `the_question` it takes up a message again that was stored
-- before and not answered: nothing is stored, and who listens to it already is joined, unless the answer that they wait
-- for has failed.
--
-- `the_message` is the normal form of `Start.` or of an answer to a question; null for what is on no path. Where the
-- answer under the cursor asks a question, only what it offers is on the path, and under the name that the tree keeps
-- it by. What was just answered and is said again is answered again.
--
-- The token reaches the whole account, or `the_reach`, a university (token-reach.sql).
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `item_access` (outline.sql), 'under exam' (of the course),
-- 'sent before' (with the message, and its answer if it has one), 'being answered', 'answered' (by the time it was taken
-- up again), or 'another time zone', when `today` is not the day in their zone.
create or replace function open_turn(
  the_session bigint, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question bigint, the_token uuid, default_model text, tutor_prompt text, deepest integer,
  the_zone text, today date, moment timestamptz, the_reach integer
) returns table (
  refusal text, time_zone text, message_id bigint,
  -- Of an answer that is there.
  answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id bigint, message text, model text, university_id integer,
  generation bigint, graph json
)
-- Planned once for each connection: some of its statements would else be planned anew at each message.
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  session record;
  active boolean;
  last_active date;
  topic record;
  tutor record;
  hash text;
  node bigint;
  answer text;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.content_fingerprint, s.cache_node_id, s.cache_state, s.answering_message_id,
         s.answering_generation_id, s.answering_token, s.answering_until
  into session
  from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;
  select person.is_active, person.time_zone, person.last_activity_date into active, time_zone, last_active
  from users as person
  where person.id = the_person and person.erased_at is null
    and (person.token_version = the_version or not person.is_active);
  if not found then return; end if;

  if not active then
    refusal := 'inactive person';
  elsif session.id is null then
    select case when count(*) = 0 then 'no such session' else 'not theirs' end into refusal
    from chat_sessions where id = the_session;
  else
    select item.course_id, item.university_id, campus.is_active, campus.requires_own_provider, course.cache_enabled, course.llm_model, type.name as type,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from) as gate
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as campus on campus.id = item.university_id
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id then 'out of reach'
      when is_suspended(topic.university_id, the_person) then 'inactive person'
      when topic.requires_own_provider and the_reach is null and not exists (
        select from user_university_roles where user_id = the_person and role = 'platform_admin') then 'own provider'
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when is_under_exam(the_person, topic.course_id, moment) then 'under exam'
    end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  if the_client_id is not null then
    select m.id, m.content, 'sent before' into message_id, content, refusal
    from chat_messages as m where m.session_id = the_session and m.client_message_id = the_client_id;
  end if;
  message_id := coalesce(message_id, the_question);
  content := coalesce(content, the_content);
  if message_id is not null then
    select reply.id, reply.created_at, reply.meta, coalesce(replayed.chunks, jsonb_build_array(reply.content))
    into answer_id, answered_at, meta, chunks
    from chat_messages as reply
    left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.edited_at is null
    where reply.in_reply_to_id = open_turn.message_id;
  end if;
  refusal := case
    when refusal is not null then refusal
    when answer_id is not null then 'answered'
    when session.answering_until > now()
      and (the_question is null or session.answering_message_id is distinct from the_question) then 'being answered'
    when time_zone <> the_zone then 'another time zone'
  end;
  if refusal is not null then
    return next;
    return;
  end if;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back.
  if the_message = 'Start.' then
    message := the_message;
  elsif the_message is not null and session.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else stands.choices ->> the_message end,
           case when again then stands.parent_id else stands.id end
    into message, parent_id
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(stands.message = coalesce(stood.choices ->> the_message, the_message)
                      and not coalesce(stands.choices ? the_message, false), false)
    ) as said (again)
    where stands.id = session.cache_node_id;
  end if;
  shared := message is not null and topic.cache_enabled and session.cache_state = 'tracking';
  model := coalesce(topic.llm_model, default_model);
  university_id := topic.university_id;
  select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint into tutor
  from tutor_prompt_of(topic.type, tutor_prompt) as prompt;

  if shared then
    hash := sha256_hex(message);
    select n.id, n.chunks, n.answer into node, chunks, answer
    from cache_nodes as n
    where n.content_item_id = session.content_item_id
      and coalesce(n.parent_id, 0) = coalesce(open_turn.parent_id, 0)
      and n.message_hash = hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = open_turn.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = session.content_fingerprint
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = session.content_item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor.name and g.prompt_version = tutor.version
        and g.model = open_turn.model and g.prompt_fingerprint = tutor.plain_fingerprint
        and g.content_fingerprint = session.content_fingerprint
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
    end if;
  end if;

  if the_question is null then
    perform record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, (
        select mine.course_offering_id from current_offerings as mine
        where mine.user_id = the_person and mine.course_id = topic.course_id), moment, today, last_active);
    message_id := nextval('chat_messages_id_seq');
  end if;
  if node is not null then
    answer_id := nextval('chat_messages_id_seq');
    answered_at := service_now();
    meta := jsonb_build_object(
      'source', 'cache', 'model', model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
      'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node);
    insert into cache_visits (node_id, hit) values (node, true);
    update chat_sessions
    set cache_node_id = node, updated_at = service_now(), answering_message_id = null, answering_since = null,
        answering_token = null, answering_generation_id = null, answering_until = null
    where id = the_session;
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id)
    overriding system value
    select * from (values
      (open_turn.message_id, the_session, 'user', the_content, '{}'::jsonb, null::bigint, false, null::bigint, the_client_id),
      (answer_id, the_session, 'assistant', answer, meta, open_turn.message_id, true, node, null)
    ) as said (id) where said.id is distinct from the_question;
  else
    token := the_token;
    if session.answering_message_id = the_question and not exists (
      select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
    then token := session.answering_token; end if;
    -- What is on no path leaves the tree where answers are shared at all; free text does in any case.
    update chat_sessions as s
    set cache_state = case when the_message is null or (topic.cache_enabled and message is null) then 'diverged'
                           else s.cache_state end,
        answering_since = case when s.answering_message_id = open_turn.message_id and s.answering_until > now()
                               then s.answering_since else now() end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = open_turn.message_id then s.answering_generation_id end),
        answering_message_id = open_turn.message_id, answering_token = token,
        answering_until = now() + listener_lease()
    where s.id = the_session;
    if the_question is null then
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value values (open_turn.message_id, the_session, 'user', the_content, the_client_id);
    end if;
    if generation is null and tutor.id is not null then
      select json_build_object('root', tutor.id, 'prompts', reached.prompts, 'links', reached.links) into graph
      from reached_prompts(array[tutor.id], 0, deepest) as reached;
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- Notes that a final grade is outdated, where another score counts in an item than the one that did, and tells those who
-- teach the offering and who made it final, of an offering once a day.
create or replace function outdate_final_grade(offering integer, person integer, item integer, former numeric) returns void
language plpgsql as $$
declare
  moment timestamptz := service_now();
begin
  if former is null or former = lock_counted_score(offering, person, item) then return; end if;
  update course_grades set outdated_at = moment
  where course_offering_id = offering and user_id = person and outdated_at is null;
  if not found then return; end if;
  perform notify(array(
      select user_id from offering_teachers where course_offering_id = offering
      union
      select made.changed_by_user_id from (
        select changed_by_user_id from grade_changes
        where course_offering_id = offering and user_id = person and kind = 'finalized' order by id desc limit 1
      ) as made
      where is_instructor_of_offering(made.changed_by_user_id, offering)),
    'grade_outdated', 'outdated:' || offering || ':' || utc_day(moment), moment, offering => offering);
end $$;
--> statement-breakpoint
create or replace function place_in_line(waiting enrollments) returns integer language sql stable as $$
      select position_in_line($1)
    $$;
--> statement-breakpoint
-- Where someone stands in the waiting list, from 1; null for whoever does not wait.
create or replace function position_in_line(waiting enrollments) returns integer language sql stable as $$
  select case when waiting.status = 'waitlisted' then (
    select count(*)::integer from enrollments as before join users on users.id = before.user_id
    where users.erased_at is null and before.course_offering_id = waiting.course_offering_id and before.status = 'waitlisted'
      and (before.enrolled_at, before.id) <= (waiting.enrolled_at, waiting.id)
  ) end
$$;
--> statement-breakpoint
create or replace function producer_lease() returns interval language sql immutable as $$
  select interval '2250 milliseconds'
$$;
--> statement-breakpoint
-- Forgets up to `most` of the oldest audit events, of those from before a moment; answers how many.
create or replace function prune_audit_events(before timestamptz, most integer) returns integer language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  forgotten integer;
begin
  perform set_config('learning.audit_kept_from', before::text, true);
  delete from audit_events where occurred_at < before
    and id in (select id from audit_events order by id limit most for update skip locked);
  get diagnostics forgotten = row_count;
  perform set_config('learning.audit_kept_from', '', true);
  delete from audit_people as one
  where forgotten > 0 and not exists (select from audit_events where actor_id = one.user_id)
    and not exists (select from audit_events where subject_id = one.user_id);
  return forgotten;
end $$;
--> statement-breakpoint
-- Forgets what is over, faster than it can come, and is waited for by nobody.
create or replace function prune_limits(moment timestamptz) returns void language sql as $$
  delete from rate_limits where name in (
    select name from rate_limits where ends_at <= moment order by ends_at limit 3 for update skip locked)
$$;
--> statement-breakpoint
-- Forgets up to `most` notifications, and as many reminders, from before a moment; answers how many.
create or replace function prune_notifications(before timestamptz, most integer) returns integer language sql as $$
  with reminders as (
    delete from due_reminders where (course_offering_id, content_item_id, due_at) in (
      select course_offering_id, content_item_id, due_at from due_reminders
      where due_at < before order by due_at limit most for update skip locked)
    returning 1
  ), forgotten as (
    delete from notifications where id in (
      select id from notifications where created_at < before order by created_at limit most for update skip locked)
    returning id
  )
  select ((select count(*) from reminders) + (select count(*) from forgotten))::integer
$$;
--> statement-breakpoint
-- Purges a node with all that are below it, and with what is just being made from them. Sessions that stood there stand
-- before the root again.
create or replace function purge_node(the_node bigint) returns void language plpgsql as $$
begin
  perform lock_subtree(the_node);
  delete from cache_nodes where id = the_node;
end;
$$;
--> statement-breakpoint
-- Puts labels on a version, whence they leave the others of the name, or takes them off where the version is null.
-- The clock is read after the wait for the lock, so that the recorded moments are in the order of the changes.
create or replace function put_prompt_labels(named text, placed text[], target integer, person integer)
returns void language plpgsql as $$
declare
  moved text[] := array(
    select unnest(placed) except select label from prompt_labels where prompt_id = target order by 1);
begin
  if moved = '{}' then return; end if;
  insert into prompt_label_events (name, label, from_version, to_version, changed_by, changed_at)
  select named, one.label, former.version,
         (select version from prompts where id = target), person, service_clock()
  from unnest(moved) as one (label)
  left join prompt_labels as held on held.name = named and held.label = one.label
  left join prompts as former on former.id = held.prompt_id;
  update prompts set updated_at = service_now() where id = target or id in (
    select prompt_id from prompt_labels where name = named and label = any (moved));
  delete from prompt_labels where name = named and label = any (moved);
  insert into prompt_labels (name, label, prompt_id)
  select named, label, target from unnest(moved) as one (label) where target is not null;
  update prompt_names set version = version + 1 where name = named;
end $$;
--> statement-breakpoint
-- How a quiz is for a person: what holds for them there, how many attempts they have taken, which one is open, and in
-- `refusal` why they can neither start nor go on with one, in the words of `start_quiz_attempt`. No row: there is no such
-- quiz.
create or replace function quiz_of_person(person integer, offering integer, item integer, moment timestamptz)
returns table (
  refusal text, is_exam boolean, passing_percent double precision, time_limit_seconds integer, closes_at timestamptz,
  max_attempts integer, attempts_taken integer, open_attempt_id bigint
) language sql stable as $$
  select coalesce(item_access(item, person, moment), case
           when not exists (
             select from enrollments
             where user_id = person and course_offering_id = offering and is_admitted
           ) then 'not enrolled'
           when open_one.id is null
           then no_attempt_because(taken.count, rules.most_attempts, rules.closes_at, rules.question_pool_id, moment)
         end),
         rules.is_exam, rules.passing_percent::float8, extract(epoch from rules.time_limit)::int, rules.closes_at,
         rules.most_attempts, taken.count, open_one.id
  from quiz_rules(item, offering, person) as rules
  cross join lateral attempts_taken(person, item, offering) as taken (count)
  left join lateral (
    select one.id from quiz_attempts as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
      and one.submitted_at is null and not is_over(one, moment)
  ) as open_one on true
$$;
--> statement-breakpoint
-- Looks at some of the stale trees anew; answers whether more are left. What is noted meanwhile stays on the list.
create or replace function refresh_course_progress(most integer) returns boolean language plpgsql as $$
declare
  offerings integer[];
  people integer[];
begin
  lock table course_trees in share row exclusive mode;
  with noted as (
    select distinct course_offering_id, user_id from (select * from stale_trees limit most) as stale
  ), taken as (
    delete from stale_trees as stale using noted
    where (stale.course_offering_id, stale.user_id) = (noted.course_offering_id, noted.user_id)
  )
  select array_agg(course_offering_id), array_agg(user_id) into offerings, people from noted;
  perform count_course_progress_again(stale.offering, stale.people) from (
    select offering, array_agg(person) as people from unnest(offerings, people) as noted (offering, person)
    group by offering
  ) as stale;
  return exists (select from stale_trees);
end $$;
--> statement-breakpoint
create or replace function refresh_trees(most integer) returns boolean language sql as $$
      select refresh_course_progress($1)
    $$;
--> statement-breakpoint
create or replace function refuse_change_of_audit_events() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - '{actor_id,subject_id,from_address}'::text[]
         = to_jsonb(old) - '{actor_id,subject_id,from_address}'::text[]
       and coalesce(new.actor_id = old.actor_id, new.actor_id is null)
       and coalesce(new.subject_id = old.subject_id, new.subject_id is null)
       and coalesce(new.from_address = old.from_address, new.from_address is null) then
      return new;
    end if;
  elsif tg_op = 'DELETE' then
    if old.occurred_at < nullif(current_setting('learning.audit_kept_from', true), '')::timestamptz then
      return old;
    end if;
  end if;
  raise exception 'audit events are neither changed nor deleted' using errcode = 'insufficient_privilege';
end $$;
--> statement-breakpoint
create or replace function refuse_change_of_grade_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - 'changed_by_user_id' = to_jsonb(old) - 'changed_by_user_id'
     and new.changed_by_user_id is null then
    return new;
  end if;
  raise exception 'changes of grades are not changed' using errcode = 'insufficient_privilege';
end $$;
--> statement-breakpoint
-- No course is needed for itself, through however many others. Within a university new prerequisites wait for each
-- other: two that make a cycle only together meet one after the other.
create or replace function refuse_cycle_of_prerequisites() returns trigger language plpgsql as $$
begin
  perform from universities
  where id = (select university_id from courses where id = new.course_id) for no key update;
  if exists (
    with recursive needed as (
      select new.prerequisite_course_id as id
      union
      select prerequisite_course_id
      from course_prerequisites join needed on course_prerequisites.course_id = needed.id
    )
    select from needed where id = new.course_id
  ) then
    raise exception 'course % would be needed for itself', new.course_id
      using errcode = 'check_violation', table = 'course_prerequisites', constraint = 'course_prerequisites_acyclic';
  end if;
  return new;
end $$;
--> statement-breakpoint
-- Takes back how an offering is graded: it is graded as most are, and completed without a grade, by the next thing that
-- is done in it. Answers why not: 'none', where nothing was set, 'changed', where it has none of the `expected` versions,
-- or 'final', while a grade is.
create or replace function remove_grading_scheme(
  offering integer, remover integer, request jsonb, expected integer[] default null
) returns text language plpgsql as $$
begin
  perform lock_grades(offering);
  if not exists (select from grading_schemes where course_offering_id = offering) then return 'none'; end if;
  if exists (select from grading_of(offering) as present where present.version <> all (expected)) then
    return 'changed';
  end if;
  if exists (select from course_grades where course_offering_id = offering and graded_at is not null) then
    return 'final';
  end if;
  delete from grading_schemes where course_offering_id = offering;
  perform audit('grading_scheme.changed', remover, null, run.university_id,
    jsonb_build_object('course_offering_id', offering, 'removed', true), request)
  from course_offerings as run where run.id = offering;
  return null;
end $$;
--> statement-breakpoint
-- Gives an item's own grader another secret, and answers its version: it waits for what was signed with the former one
-- and is being taken, and nothing is from then on. Of those who read the former one nothing is kept.
create or replace function renew_auto_grader(
  offering integer, item integer, renewer integer, moment timestamptz, request jsonb
) returns integer language plpgsql as $$
declare
  present integer;
begin
  perform lock_grades(offering);
  insert into auto_graders as one (course_offering_id, content_item_id, secret_version, renewed_at)
  values (offering, item, 2, moment)
  on conflict (course_offering_id, content_item_id) do update
    set secret_version = one.secret_version + 1, renewed_at = excluded.renewed_at
  returning one.secret_version into present;
  delete from auto_grader_readers where course_offering_id = offering and content_item_id = item;
  insert into auto_grader_readers (course_offering_id, content_item_id, user_id, secret_version, read_at, request_id)
  values (offering, item, renewer, present, moment, request ->> 'id')
  on conflict on constraint auto_grader_readers_person_unique do update
    set secret_version = excluded.secret_version, read_at = excluded.read_at, request_id = excluded.request_id;
  perform audit('auto_grader.renewed', renewer, null, run.university_id, jsonb_build_object(
    'course_offering_id', offering, 'content_item_id', item, 'version', present), request)
  from course_offerings as run where run.id = offering;
  return present;
end $$;
--> statement-breakpoint
-- A sign of life from a process: of the answers that it makes, and of the sessions in which someone listens. Answers
-- the makers' leases that still hold. A row that someone else is just writing gets its sign with the next.
create or replace function renew_leases(
  the_generations bigint[], makers uuid[], the_sessions bigint[], listeners uuid[]
) returns table (generation bigint, stop_requested boolean) language sql as $$
  with listening as (
    select s.id from chat_sessions as s
    join unnest(the_sessions, listeners) as mine (id, token) on mine.id = s.id and mine.token = s.answering_token
    order by s.id for no key update of s skip locked
  ), followed as (
    update chat_sessions as s set answering_until = least(now() + listener_lease(), s.answering_since + answer_limit())
    from listening where listening.id = s.id
  ), making as (
    select g.id from generations as g
    join unnest(the_generations, makers) as mine (id, token) on mine.id = g.id and mine.token = g.token
    where g.state = 'writing'
    order by g.id for no key update of g skip locked
  ), made as (
    update generations as g set lease_until = least(clock_timestamp() + producer_lease(), g.maker_until)
    from making where making.id = g.id
  )
  select g.id, g.stop_requested from generations as g
  join unnest(the_generations, makers) as mine (id, token) on mine.id = g.id and mine.token = g.token
  where g.state = 'writing' and g.maker_until > clock_timestamp()
$$;
--> statement-breakpoint
-- Opens final grades again, of these people or of all; answers whose. What was completed stays so until the grade is
-- final again.
create or replace function reopen_grades(
  offering integer, people integer[], reopener integer, why text, moment timestamptz, request jsonb
) returns setof integer language plpgsql as $$
declare
  former course_grades;
begin
  perform lock_grades(offering);
  for former in
    select * from course_grades
    where course_offering_id = offering and graded_at is not null and user_id <> reopener
      and (people is null or user_id = any (people))
    order by user_id for update
  loop
    update course_grades
    set final_score = null, letter_grade = null, passed = null, graded_at = null, outdated_at = null
    where id = former.id;
    perform note_grade_change('reopened', offering, former.user_id, null, grade_of_course(former), null, why, reopener,
      moment, request);
    return next former.user_id;
  end loop;
end $$;
--> statement-breakpoint
-- Replaces a node's answer. What was made from the former text goes, unless `keep_children`, and so does what is just
-- being made from it; sessions that heard the former text and stood there stand before the root again.
create or replace function replace_answer(
  the_node bigint, the_answer text, the_question jsonb, the_choices jsonb, editor integer, keep_children boolean
) returns void language plpgsql as $$
begin
  if not keep_children then perform lock_subtree(the_node); end if;
  update cache_nodes
  set chunks = jsonb_build_array(the_answer), question = the_question, choices = the_choices,
      edited_by = editor, edited_at = service_clock(), children_kept = keep_children
  where id = the_node;
  -- Who makes an answer from this path holds it until it can be seen here.
  delete from generations where parent_id = the_node or parent_id in (select nodes_below(the_node));
  if not keep_children then
    delete from cache_nodes where parent_id = the_node;
    update chat_sessions set cache_node_id = null where cache_node_id = the_node;
  end if;
end;
$$;
--> statement-breakpoint
-- Gives a submission back for another attempt; a grade that it had is taken back. What is returned stays so. `refusal`
-- as for a claim, and 'final' of any: there is no other attempt.
create or replace function return_submission(
  the_submission bigint, grader integer, feedback text, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions) language plpgsql as $$
declare
  former lab_submissions := lock_submission(the_submission);
begin
  if former.id is null then return; end if;
  submission := former;
  refusal := coalesce(
    nullif(refusal_to_grade(former, grader, moment), 'returned'),
    case when is_grade_final(former.course_offering_id, former.user_id) then 'final' end);
  if refusal is null and former.status <> 'returned' then
    update lab_submissions as one
    set status = 'returned', returned_at = moment, instructor_feedback = feedback, score_obtained = null,
        max_score = null, grade_source = null, graded_at = null, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_returned', former, submission, null, grader, moment, request);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- How many places of an offering are taken. Whoever erased their account has left theirs, and their enrollment is as it was.
create or replace function seats_taken(offering integer) returns bigint language sql stable as $$
  select count(*) from enrollments join users on users.id = user_id
  where course_offering_id = offering and status = 'active' and users.erased_at is null
$$;
--> statement-breakpoint
-- Sets the percentage of the course in place of what follows from the items; null takes it back. Where there are
-- `expected` versions, it has one of them. Answers what is set then, or still. `refusal`: 'not enrolled', 'own', 'final'
-- or 'changed'.
create or replace function set_course_grade(
  offering integer, person integer, score numeric, grader integer, why text, moment timestamptz, request jsonb,
  expected integer[] default null
) returns table (refusal text, present numeric, version integer) language plpgsql as $$
#variable_conflict use_column
declare
  former course_grades;
begin
  perform lock_grades(offering);
  select * into former from course_grades where course_offering_id = offering and user_id = person;
  present := former.score_override;
  version := coalesce(former.version, 0);
  refusal := case
    when not exists (select from enrollments where course_offering_id = offering and user_id = person) then 'not enrolled'
    when person = grader then 'own'
    when former.graded_at is not null then 'final'
    when version <> all (expected) then 'changed'
  end;
  if refusal is null and present is distinct from score then
    insert into course_grades as one (course_offering_id, user_id, score_override, version)
    values (offering, person, score, 1)
    on conflict (user_id, course_offering_id) do update
      set score_override = excluded.score_override, version = one.version + 1;
    perform note_grade_change('course_set', offering, person, null, jsonb_build_object('score', present),
      jsonb_build_object('score', score), why, grader, moment, request);
    present := score;
    version := version + 1;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Each query in a function looks anew, so what others committed while this one waited for the lock is seen.
-- A parent that does not exist is left to the foreign key.
create or replace function set_depth_of_subject() returns trigger language plpgsql as $$
begin
  if exists (
    with recursive ancestors as (
      select id, parent_subject_id from subjects where id = new.parent_subject_id
      union
      select parent.id, parent.parent_subject_id
      from subjects as parent join ancestors on parent.id = ancestors.parent_subject_id
    )
    select from ancestors where id = new.id
  ) then
    raise exception 'subject % cannot be moved below itself', new.id
      using errcode = 'check_violation', table = 'subjects', constraint = 'subjects_not_below_itself';
  end if;
  new.depth := coalesce((select depth + 1 from subjects where id = new.parent_subject_id), 0);
  return new;
end $$;
--> statement-breakpoint
-- Moves an enrollment to another status, `wanted` null for none. The owner takes a place up, or waits for one, only as
-- if enrolling anew, leaves the waiting list for nothing but `dropped`, and completes it on their own word alone; staff
-- may overfill an offering, and confirm such a word, and give a second seat in a course and term, which the audit log is
-- told with `staff` and `request`. Whoever goes to the waiting list stands at its end, and a place that is left goes to
-- the next in line.
create or replace function set_enrollment_status(
  moved integer, wanted text, by_owner boolean, moment timestamptz, staff integer default null,
  request jsonb default null
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  former text;
  confirms boolean;
  is_double boolean;
begin
  perform lock_course_key_shared(course_offering_id) from enrollments where id = moved;
  select course_offerings.* into run
  from enrollments join course_offerings on course_offerings.id = course_offering_id
  where enrollments.id = moved for no key update of course_offerings;
  select * into enrollment from enrollments where id = moved for no key update;
  former := enrollment.status;
  confirms := wanted = 'completed' and not by_owner and enrollment.completion_source = 'self';
  if wanted <> former and by_owner and former = 'waitlisted' and wanted <> 'dropped' then
    refusal := 'waiting';
  elsif wanted <> former and by_owner and (wanted = 'active' or wanted = 'waitlisted' and former <> 'active') then
    select * into refusal, missing from refusal_to_enroll(run, enrollment.user_id, moment);
    if refusal is distinct from 'not_open' then
      refusal := coalesce(refusal_of_mode(run, null), refusal);
    end if;
    if refusal is null and wanted = 'active' and is_full(run) then refusal := 'full'; end if;
  end if;
  is_double := wanted = 'active' and former <> 'active' and has_seat_elsewhere(run, enrollment.user_id, moment);
  if is_double and by_owner then refusal := coalesce(refusal, 'enrolled_in_course'); end if;
  if wanted <> former and wanted in ('active', 'pending', 'waitlisted') then
    refusal := coalesce(refusal_of_inactive(run.university_id, enrollment.user_id), refusal);
  end if;
  if (wanted <> former or confirms) and refusal is null then
    update enrollments set
      status = wanted,
      completed_at = case when wanted = 'completed' then coalesce(completed_at, moment) end,
      completion_source = case when wanted = 'completed' then case when by_owner then 'self' else 'staff' end end,
      enrolled_at = case when wanted = 'waitlisted' then end_of_waiting_list(run.id, moment)
                           else enrolled_at end
    where id = moved returning enrollments.* into enrollment;
    if former = 'active' then perform free_seat(run.id, enrollment.user_id, moment, moved); end if;
    if is_double then
      perform audit('enrollment.changed', staff, enrollment.user_id, run.university_id, jsonb_build_object(
        'course_offering_id', run.id, 'status', wanted, 'passed', 'enrolled_in_course'), request);
    end if;
  end if;
  waits_at := position_in_line(enrollment);
  return next;
end $$;
--> statement-breakpoint
-- Sets how an offering is graded; what `given` leaves out stays as it was, or as most are graded. Final grades stay.
-- Nothing is set, where `missing` is an item of a group that the course does not have, or `is_other`, where it has none of
-- the `expected` versions.
create or replace function set_grading_scheme(
  offering integer, given jsonb, setter integer, moment timestamptz, request jsonb, expected integer[] default null
) returns table (missing integer, is_other boolean, scheme grading_schemes) language plpgsql as $$
begin
  select named.id::int into missing
  from jsonb_array_elements(given -> 'groups') as one, jsonb_array_elements_text(one -> 'content_item_ids') as named (id)
  where not exists (
    select from content_items as item join course_offerings as run on run.course_id = item.course_id
    join content_types as type on type.id = item.content_type_id and type.takes_result
    where run.id = offering and item.id = named.id::int)
  order by named.id::int limit 1;
  perform lock_grades(offering);
  select coalesce(usual.version <> all (expected), false) into is_other from grading_of(offering) as usual;
  if missing is null and not is_other then
    insert into grading_schemes as one
      (course_offering_id, letter_scale, passing_percent, groups, release_mode, created_at, updated_at)
    select offering, coalesce(given -> 'letter_scale', usual.letter_scale),
           coalesce((given ->> 'passing_percent')::numeric, usual.passing_percent), coalesce(given -> 'groups', usual.groups),
           coalesce(given ->> 'release_mode', usual.release_mode), moment, moment
    from grading_of(offering) as usual
    on conflict (course_offering_id) do update
      set letter_scale = excluded.letter_scale, passing_percent = excluded.passing_percent, groups = excluded.groups,
          release_mode = excluded.release_mode, version = default, updated_at = excluded.updated_at
    returning one.* into scheme;
    perform audit('grading_scheme.changed', setter, null, run.university_id,
      jsonb_build_object('course_offering_id', offering), request)
    from course_offerings as run where run.id = offering;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Sets scores in place of what people achieved in items, or excuses them; neither takes back what was set. `entries` are
-- `[{"user_id", "content_item_id", "score", "is_excused", "versions"}, …]`, each person and item once; where there are
-- `versions`, the cell has one of them, or is not what was looked at. With `as_shown` a score that the gradebook shows
-- already changes nothing, and with `dry` nothing is written. Answers each in its order, with what the gradebook showed,
-- what staff had set, and the version that the cell has then. `refusal`: 'no item', 'not enrolled', 'own', 'final',
-- 'changed' for another version, 'too many points', or 'too many' for what comes after as many changes as are made in a few
-- seconds. `bound` is what the score is held against.
create or replace function set_item_grades(
  offering integer, entries jsonb, as_shown boolean, grader integer, why text, dry boolean, moment timestamptz,
  request jsonb
) returns table (
  number integer, refusal text, is_changed boolean, former_score numeric, former_state text, score_override numeric,
  is_excused boolean, version integer, bound jsonb
) language plpgsql as $$
#variable_conflict use_column
begin
  perform lock_grades(offering);
  -- All of them before the first enrollment is completed: see completion.sql.
  perform pg_advisory_xact_lock(offering, person)
  from (select distinct (one ->> 'user_id')::int from jsonb_array_elements(entries) as one order by 1) as one (person);
  return query
    with entry as materialized (
      select one.number::int, given.*
      from jsonb_array_elements(entries) with ordinality as one (value, number),
           jsonb_to_record(one.value) as given (
             user_id integer, content_item_id integer, score numeric, is_excused boolean, versions integer[])
    ), item as materialized (
      select item_id, title, max_points, most_points from graded_items(offering)
    ), cell as materialized (
      select * from grade_cells(offering, array(
        select user_id from enrollments
        where course_offering_id = offering and user_id in (select user_id from entry)))
    ), judged as materialized (
      select entry.*, own as former, cell.score as shown_score, cell.state as shown_state, cell.version as shown_version,
             case when item.item_id is null then 'no item'
                  when cell.user_id is null then 'not enrolled'
                  when entry.user_id = grader then 'own'
                  when is_grade_final(offering, entry.user_id) then 'final'
                  when cell.version <> all (entry.versions) then 'changed'
                  when entry.score > item.most_points then 'too many points' end as refusal,
             jsonb_build_object('title', item.title, 'points', item.max_points, 'most', item.most_points) as bound,
             case when as_shown and cell.state <> 'excused' and not entry.is_excused
                    then cell.score is distinct from entry.score
                  else (coalesce(own.is_excused, false), own.score_override)
                    is distinct from (entry.is_excused, entry.score) end as is_changed
      from entry
      left join item on item.item_id = entry.content_item_id
      left join cell on cell.user_id = entry.user_id and cell.item_id = entry.content_item_id
      left join item_grades as own on own.course_offering_id = offering and own.user_id = entry.user_id
        and own.content_item_id = entry.content_item_id
    ), chosen as materialized (
      select judged.*,
             case when refusal is null and is_changed
                    and row_number() over (partition by refusal is null and is_changed order by judged.number) > 2000
                    then 'too many'
                  -- What is asked for is there already, whoever brought it there.
                  when refusal in ('changed', 'too many points') and as_shown and not is_changed then null
                  else refusal end as verdict
      from judged
    ), written as (
      insert into item_grades as one
        (user_id, course_offering_id, content_item_id, score_override, is_excused, version, updated_at)
      select user_id, offering, content_item_id, score, is_excused, 1, moment
      from chosen where verdict is null and is_changed and not dry order by user_id, content_item_id
      on conflict on constraint item_grades_person_unique do update
        set score_override = excluded.score_override, is_excused = excluded.is_excused, version = one.version + 1,
            updated_at = excluded.updated_at
      returning one.*
    ), noted as (
      select note_grade_change('item_set', offering, chosen.user_id, chosen.content_item_id, grade_of_item(chosen.former),
        grade_of_item(written), why, grader, moment, request)
      from chosen join written using (user_id, content_item_id)
    )
    select chosen.number, chosen.verdict, chosen.is_changed and chosen.verdict is null, chosen.shown_score,
           chosen.shown_state, (chosen.former).score_override, coalesce((chosen.former).is_excused, false),
           chosen.shown_version + (chosen.is_changed and chosen.verdict is null)::int, chosen.bound
    from chosen cross join (select count(*) from noted) as done order by chosen.number;
end $$;
--> statement-breakpoint
create or replace function set_position_of_content_item() returns trigger language plpgsql as $$
begin
  if new.sequence_index is null then
    perform from courses where id = new.course_id for no key update;
    new.sequence_index := coalesce(
      (select max(sequence_index) + 1 from content_items where module_id = new.module_id), 1);
  end if;
  return new;
end $$;
--> statement-breakpoint
-- A parent that does not exist, or is another course's, is left to the foreign key.
create or replace function set_position_of_module() returns trigger language plpgsql as $$
begin
  perform from courses where id = new.course_id for no key update;
  if exists (
    with recursive ancestors as (
      select id, parent_module_id from modules where id = new.parent_module_id
      union
      select parent.id, parent.parent_module_id
      from modules as parent join ancestors on parent.id = ancestors.parent_module_id
    )
    select from ancestors where id = new.id
  ) then
    raise exception 'module % cannot be moved below itself', new.id
      using errcode = 'check_violation', table = 'modules', constraint = 'modules_not_below_itself';
  end if;
  new.depth := coalesce((select depth + 1 from modules where id = new.parent_module_id), 0);
  new.sequence_index := coalesce(new.sequence_index, (
    select max(sequence_index) + 1 from modules
    where course_id = new.course_id and parent_module_id is not distinct from new.parent_module_id
  ), 1);
  return new;
end $$;
--> statement-breakpoint
-- Sets a version's labels to those wanted; `latest` stays where it is. The `guarded` ones are not the caller's to
-- put on, move or take off, nor are those that a version with a guarded one reaches. No row: there is no such version.
create or replace function set_prompt_labels(
  named text, number integer, wanted text[], guarded text[], person integer, deepest integer, longest integer
) returns setof prompt_versions language plpgsql as $$
declare
  target integer;
  held text[];
  added text[];
  removed text[];
  checked integer[];
begin
  perform lock_prompts();
  select id, labels into target, held from prompt_versions where name = named and version = number;
  if not found then return; end if;
  added := array(select unnest(wanted) except select unnest(held));
  removed := array(select unnest(held) except select unnest(array_append(wanted, 'latest')));
  if 'latest' = any (added) then perform refuse_prompt_change('prompt_labels_latest'); end if;
  if (added || removed) && guarded then perform refuse_prompt_change('prompt_labels_protected'); end if;
  perform refuse_move_below_guarded(named, added || removed, guarded);
  checked := resolvable_prompts_reaching(named, added || removed, deepest, longest);
  perform put_prompt_labels(named, added, target, person);
  perform put_prompt_labels(named, removed, null, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  return query select * from prompt_versions where id = target;
end $$;
--> statement-breakpoint
-- Starts a person's next attempt at a quiz, or answers the one that is open. Its questions are drawn once, and with
-- them the order of everything. Starts of one person at one quiz wait for each other, in whatever offerings: what one
-- took is counted by the next. `refusal` says why there is none: one of `work_access` (outline.sql), 'not enrolled',
-- 'closed', 'no attempt left' or 'no questions'.
create or replace function start_quiz_attempt(
  person integer, offering integer, item integer, moment timestamptz, today date
) returns table (refusal text, is_new boolean, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  mine quiz_attempts;
begin
  is_new := false;
  perform lock_item_type_shared(item);
  perform pg_advisory_xact_lock(hashtextextended('attempts of ' || person || ' at a quiz', item));
  select * into rules from quiz_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when work_access(item, person, offering, moment) is not null then work_access(item, person, offering, moment)
    when not exists (
      select from enrollments
      where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
  end;
  if refusal is null then
    select * into mine from quiz_attempts as one
    where user_id = person and course_offering_id = offering and content_item_id = item and submitted_at is null;
    if found and not is_over(mine, moment) then
      attempt := quiz_attempt_with_keys(mine, moment);
      return next;
      return;
    end if;
    perform close_quiz_attempt(mine.id, moment);
    refusal := no_attempt_because(
      attempts_taken(person, item, offering), rules.most_attempts, rules.closes_at, rules.question_pool_id, moment);
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  is_new := true;
  insert into quiz_attempts (
    user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at, due_at, passing_percent,
    correct_in_row)
  select person, offering, item, coalesce(max(attempt_number), 0) + 1, rules.is_exam, moment,
         least(moment + rules.time_limit, rules.closes_at), rules.passing_percent, rules.correct_in_row
  from quiz_attempts where user_id = person and course_offering_id = offering and content_item_id = item
  returning * into mine;
  insert into quiz_attempt_questions (quiz_attempt_id, position, question_id, version, graded_version, option_ids)
  select mine.id, row_number() over (order by place, id), id, version, version, (
      select array_agg(option.value ->> 'id' order by case when rules.is_random then random() end, option.number)
      from jsonb_array_elements(options_json) with ordinality as option (value, number))
  from (
    select id, version, options_json, case when rules.is_random then random() end as place
    from questions where question_pool_id = rules.question_pool_id and is_active
    order by random() limit rules.draws
  ) as chosen;
  update quiz_attempts set max_score = (
    select sum(points)
    from quiz_attempt_questions as drawn join question_versions as asked using (question_id, version)
    where drawn.quiz_attempt_id = mine.id
  ) where id = mine.id returning * into mine;
  perform begin_item(person, offering, item, moment, moment);
  perform record_activity(person, 'attempted', 'content_item', item, rules.university_id, item, offering, moment, today);
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
-- Stores grades: `[{"attempt_id", "score", "passed", "questions": [{"question_id", "graded_version", "points"}]}, …]`.
-- One that was made by other keys than now count is left out, and so is what no longer waits: answers how many were
-- stored. A final grade that is made of another score is outdated by it.
create or replace function store_quiz_grades(grades jsonb) returns integer language plpgsql as $$
declare
  grade record;
  mine quiz_attempts;
  former numeric;
  stored integer := 0;
begin
  perform lock_grades_shared(graded.offering) from (
    select distinct course_offering_id as offering from quiz_attempts
    where id in (select (one ->> 'attempt_id')::bigint from jsonb_array_elements(grades) as one) order by 1
  ) as graded;
  for grade in
    select * from jsonb_to_recordset(grades) as one (
      attempt_id bigint, score numeric, max_score numeric, passed boolean, questions jsonb)
    order by attempt_id
  loop
    select * into mine from quiz_attempts where id = grade.attempt_id and awaits_grading for update;
    if not found or exists (
      select from quiz_attempt_questions as drawn
      where quiz_attempt_id = grade.attempt_id and not exists (
        select from jsonb_to_recordset(grade.questions) as one (question_id integer, graded_version integer)
        where one.question_id = drawn.question_id and one.graded_version = drawn.graded_version)
    ) then continue; end if;
    former := lock_counted_score(mine.course_offering_id, mine.user_id, mine.content_item_id);
    update quiz_attempt_questions as drawn set points_earned = one.points
    from jsonb_to_recordset(grade.questions) as one (question_id integer, points numeric)
    where drawn.quiz_attempt_id = grade.attempt_id and drawn.question_id = one.question_id;
    update quiz_attempts
    set score_obtained = grade.score, max_score = grade.max_score, passed = grade.passed, awaits_grading = false
    where id = grade.attempt_id;
    perform outdate_final_grade(mine.course_offering_id, mine.user_id, mine.content_item_id, former);
    stored := stored + 1;
  end loop;
  return stored;
end $$;
--> statement-breakpoint
-- Hands in a person's next attempt. The same again, while it waits for its grade, is answered as it is. `refusal` says
-- why there is none: one of `work_access` (outline.sql), 'not enrolled', 'final', 'closed' or 'no attempt left'. What
-- was returned is no attempt that counts. What comes before a grade is final is seen by whoever makes it so.
create or replace function submit_work(
  person integer, offering integer, item integer, given jsonb, moment timestamptz, today date
) returns table (refusal text, is_new boolean, submission lab_submissions) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  work record;
begin
  is_new := false;
  perform lock_grades_shared(offering);
  select * into rules from work_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when work_access(item, person, offering, moment) is not null then work_access(item, person, offering, moment)
    when not exists (
      select from enrollments where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
    when is_grade_final(offering, person) then 'final'
  end;
  select * into work from jsonb_to_record(given) as one (body text, links text[], data_json jsonb, artifacts_url text);
  while refusal is null and not is_new loop
    select one.* into submission from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    order by one.attempt_number desc limit 1;
    if submission.status = 'submitted' and (submission.body, submission.links, submission.data_json, submission.artifacts_url)
         is not distinct from (work.body, work.links, work.data_json, work.artifacts_url::varchar) then
      return next;
      return;
    end if;
    refusal := case
      when not rules.takes_late and moment > rules.due_at then 'closed'
      when (
        select count(*) from lab_submissions
        where user_id = any (selves_of(person)) and course_offering_id = offering and content_item_id = item and status <> 'returned'
      ) >= rules.most_attempts then 'no attempt left'
    end;
    if refusal is null then
      insert into lab_submissions as one (
        user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late, body, links,
        data_json, artifacts_url)
      -- The next after the one that was looked at: where another came meanwhile, it takes this number.
      values (person, offering, item, coalesce(submission.attempt_number, 0) + 1, moment, rules.due_at,
        coalesce(moment > rules.due_at, false), work.body, work.links, work.data_json, work.artifacts_url)
      on conflict do nothing returning one.* into submission;
      is_new := found;
    end if;
  end loop;
  if refusal is null then
    perform begin_item(person, offering, item, moment, moment);
    perform record_activity(
      person, 'submitted', 'content_item', item, rules.university_id, item, offering, moment, today);
  else
    submission := null;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Counts one more, unless it would be beyond the limit; whether it was counted. 0 is no limit.
create or replace function take_from_limit(the_name text, most integer, moment timestamptz) returns boolean
language plpgsql as $$
declare
  is_within boolean;
begin
  if most = 0 then return true; end if;
  insert into rate_limits as one (name, used, ends_at)
  values (the_name, 1, date_trunc('hour', moment, 'UTC') + interval '1 hour')
  on conflict (name) do update set
    used = case when one.ends_at <= moment then 1 else one.used + 1 end,
    ends_at = case when one.ends_at <= moment then excluded.ends_at else one.ends_at end
  where one.ends_at <= moment or one.used < most;
  is_within := found;
  perform prune_limits(moment);
  return is_within;
end $$;
--> statement-breakpoint
-- Whether this is the first time, of what may be done once and is no good any more an hour later: of two who do it at
-- once the later finds that it was done.
create or replace function take_once(the_name text, moment timestamptz) returns boolean language plpgsql as $$
declare
  is_first boolean;
begin
  insert into rate_limits (name, used, ends_at) values (the_name, 1, moment + interval '1 hour')
  on conflict (name) do nothing;
  is_first := found;
  perform prune_limits(moment);
  return is_first;
end $$;
--> statement-breakpoint
-- What is done with an item changes how far its person is; and may be the last that their course waits for. Work completes
-- its item as of the day on which it was handed in, and the course when it is graded: what others have done meanwhile
-- comes before that, and a waiting list may be closed by then.
create or replace function take_progress() returns trigger language plpgsql as $$
begin
  perform count_progress_again(new.course_offering_id, array[new.user_id]);
  if new.completed_at is not null and exists (
    select from enrollment_progress
    where user_id = new.user_id and course_offering_id = new.course_offering_id and progress_percent = 100
  ) then
    perform complete_enrollment(new.course_offering_id, new.user_id, greatest(new.last_interacted_at, (
      select max(graded_at) from lab_submissions
      where user_id = new.user_id and course_offering_id = new.course_offering_id
        and content_item_id = new.content_item_id and status = 'graded')));
  end if;
  return null;
end $$;
--> statement-breakpoint
-- The same for whoever takes the item in an offering: staff who learn there begin no sooner than the others.
create or replace function work_access(item integer, person integer, offering integer, moment timestamptz) returns text
language sql stable as $$
  select item_access(item, person, moment, not is_staff_of_offering(person, offering))
$$;
--> statement-breakpoint
create or replace trigger add_to_course_rating after insert or update of rating or delete on course_reviews
  for each row execute function add_to_course_rating();
--> statement-breakpoint
create or replace trigger add_to_feature_request_totals_added after insert on feature_requests
  referencing new table as added
  for each statement execute function add_to_feature_request_totals();
--> statement-breakpoint
create or replace trigger add_to_feature_request_totals_changed after update on feature_requests
  referencing old table as removed new table as added
  for each statement execute function add_to_feature_request_totals();
--> statement-breakpoint
create or replace trigger add_to_feature_request_totals_removed after delete on feature_requests
  referencing old table as removed
  for each statement execute function add_to_feature_request_totals();
--> statement-breakpoint
create or replace trigger add_to_report_totals before delete on chat_sessions for each row execute function add_to_report_totals();
--> statement-breakpoint
create or replace trigger count_popularity_of_course_again after insert or update of primary_subject_id on courses
  for each row execute function count_popularity_of_course_again();
--> statement-breakpoint
create or replace trigger count_popularity_of_subject_again after insert or delete on course_subjects
  for each row execute function count_popularity_of_subject_again();
--> statement-breakpoint
create or replace trigger enrollments_add_to_popularity after insert or update of status or delete on enrollments
  for each row execute function add_to_popularity();
--> statement-breakpoint
create or replace trigger fill_seats_again after update of is_active on universities
  for each row when (new.is_active and not old.is_active) execute function fill_seats_again();
--> statement-breakpoint
create or replace trigger fill_seats_again after update of is_active on users
  for each row when (new.is_active and not old.is_active) execute function fill_seats_again();
--> statement-breakpoint
-- Most posts of progress leave both moments as they were.
create or replace trigger note_later_stale_course_progress after update of first_started_at, completed_at on user_content_progress
  for each row when ((new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at))
  execute function note_stale_course_progress();
--> statement-breakpoint
create or replace trigger note_stale_course_progress after insert or delete on user_content_progress
  for each row execute function note_stale_course_progress();
--> statement-breakpoint
create or replace trigger note_stale_course_progress after insert or update of started_at, completed_at or delete on user_module_progress
  for each row execute function note_stale_course_progress();
--> statement-breakpoint
create or replace trigger refuse_change_of_audit_events before update or delete on audit_events
  for each row execute function refuse_change_of_audit_events();
--> statement-breakpoint
create or replace trigger refuse_change_of_grade_changes before update on grade_changes
  for each row execute function refuse_change_of_grade_changes();
--> statement-breakpoint
create or replace trigger refuse_cycle_of_prerequisites
  before insert or update of course_id, prerequisite_course_id on course_prerequisites
  for each row execute function refuse_cycle_of_prerequisites();
--> statement-breakpoint
create or replace trigger refuse_truncation_of_audit_events before truncate on audit_events
  for each statement execute function refuse_change_of_audit_events();
--> statement-breakpoint
create or replace trigger set_depth_of_subject before insert or update of parent_subject_id on subjects
  for each row execute function set_depth_of_subject();
--> statement-breakpoint
create or replace trigger set_position_of_content_item before insert or update of module_id on content_items
  for each row execute function set_position_of_content_item();
--> statement-breakpoint
create or replace trigger set_position_of_module before insert or update of parent_module_id on modules
  for each row execute function set_position_of_module();
--> statement-breakpoint
-- How everyone stands now; or stood, where that is too much to be worked out while someone waits.
create or replace view trees as
  select * from course_trees as kept
  where case when (select is_behind()) then true else not exists (
    select from stale_trees as stale
    where (stale.course_offering_id, stale.user_id) = (kept.course_offering_id, kept.user_id)) end
  union all
  select tree.* from (
    select course_offering_id, array_agg(distinct user_id) as people from stale_trees group by course_offering_id
  ) as stale cross join lateral course_progress_dates(stale.course_offering_id, stale.people) as tree
  where not (select is_behind());
--> statement-breakpoint
drop function trees_of(integer,integer[]);
--> statement-breakpoint
set local check_function_bodies = on;
