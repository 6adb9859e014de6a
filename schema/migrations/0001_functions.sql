-- Functions name each other and are not looked into before all are there.
set local check_function_bodies = off;
--> statement-breakpoint
-- Each reference with the prompt to which it leads just now; null when there is no such version or label.
create or replace view prompt_links as
  select prompt_dependencies.prompt_id, position, child_name, child_version, child_label,
         coalesce(numbered.id, labelled.prompt_id) as child_id, occurrences, tag_characters
  from prompt_dependencies
  left join prompts as numbered on numbered.name = child_name and numbered.version = child_version
  left join prompt_labels as labelled on labelled.name = child_name and labelled.label = child_label;
--> statement-breakpoint
create or replace view prompt_versions as
  select prompts.id, prompts.name, version, type, prompt, config,
         array(select label::text from prompt_labels where prompt_id = prompts.id order by label) as labels,
         tags, commit_message, created_by::text as created_by, prompts.created_at, prompts.updated_at
  from prompts join prompt_names on prompt_names.name = prompts.name;
--> statement-breakpoint
-- Which prompt the tutor of a content type follows: the type's own (`tutor-quiz`), where a version of it is labelled
-- production, else the one for all (`tutor`). No row: there is neither. With `moved`, as it would be if that name's
-- label stood on the version `target`.
create or replace function tutor_prompt_of(
  content_type text, common text, moved text default null, target integer default null
) returns setof prompts language sql stable as $$
  select prompts.*
  from unnest(array[common || '-' || content_type, common]) with ordinality as followed (name, rank)
  join prompts on prompts.id = case
    when followed.name = moved then target
    else (select prompt_id from prompt_labels where prompt_labels.name = followed.name and label = 'production')
  end
  order by rank
  limit 1
$$;
--> statement-breakpoint
-- Records what a person did to learn, beside the thing itself, so that neither happens without the other: one event,
-- and their streak. The streak counts days in the person's own time zone, where `moment` is on the day `today`: the
-- same day keeps it, the next adds one, a gap starts again at 1. A day before the last active one (a clock set back, a
-- move west) keeps it as well.
--
-- Locks: the person, when the day is new to them.
create or replace function record_activity(
  person integer, verb text, object_type text, object_id integer, university integer, content_item integer,
  offering integer, moment timestamptz, today date
) returns void language plpgsql as $$
begin
  insert into activity_events
    (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id, occurred_at)
  values (person, verb, object_type, object_id, university, content_item, offering, moment);
  update users
  set current_streak_days = case when last_activity_date = today - 1 then current_streak_days + 1 else 1 end,
      last_activity_date = today
  where id = person and (last_activity_date is null or last_activity_date < today);
end $$;
--> statement-breakpoint
-- What must always hold of the tree of shared answers: a row for each thing that does not. Tests ask it after every
-- kind of traffic, and an operator may ask it at any time.
create or replace function cache_tree_violations() returns table (rule text, node_id integer)
language sql stable as $$
  select 'a child is of its parent''s topic', child.id
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where child.content_item_id <> parent.content_item_id
union all
  select 'a node grows from a whole answer only', child.id
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where parent.chunks is null
union all
  select 'roots answer Start., and nothing else does', id
  from cache_nodes where (parent_id is null) <> (message = 'Start.')
union all
  select 'a node is found by the hash of its message', id
  from cache_nodes where message_hash <> encode(sha256(convert_to(message, 'UTF8')), 'hex')
union all
  select 'an answer is whole, or someone is writing it', id
  from cache_nodes where (chunks is null) <> (filling_token is not null and filling_until is not null)
union all
  select 'a whole answer is not empty', id
  from cache_nodes where chunks = '[]'
union all
  select 'pieces are kept only while an answer is being written', cache_nodes.id
  from cache_nodes join cache_fill_chunks as piece on piece.node_id = cache_nodes.id
  where cache_nodes.chunks is not null
union all
  select 'a cursor stands on a whole answer of its own topic', cache_nodes.id
  from chat_sessions join cache_nodes on cache_nodes.id = chat_sessions.cache_node_id
  where cache_nodes.chunks is null or cache_nodes.content_item_id <> chat_sessions.content_item_id
union all
  select 'an answer answers a question of its own session', null
  from chat_messages as answer left join chat_messages as question on question.id = answer.in_reply_to_id
  where answer.role = 'assistant'
    and (question.role is distinct from 'user' or question.session_id is distinct from answer.session_id);
$$;
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names: stores their message with what it does to the session and to
-- their streak, and answers it where the tree holds the answer. Else it takes the session's lease, and reads what
-- answering takes. No row: there is no such person. `refusal` says why nothing was done: 'inactive person', 'no such
-- session', 'not theirs', 'being answered', or 'another time zone', when `today` is not the day in their zone.
create or replace function open_turn(
  the_session integer, the_person integer, the_content text, the_kind text, the_hash text, the_token uuid,
  lease_seconds integer, default_model text, tutor_prompt text, deepest integer, the_zone text, today date,
  moment timestamptz, most_candidates integer
) returns table (
  refusal text, time_zone text, message_id integer,
  -- Of an answer from the tree.
  answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered.
  content_item_id integer, content_fingerprint text, shared boolean, parent_id integer, model text,
  graph json, candidates json
) language plpgsql as $$
#variable_conflict use_column
declare
  prompt integer;
  tutor_name text;
  tutor_version integer;
  node integer;
  university integer;
  leaves_tree boolean;
begin
  -- What is read after the lock is what the message before this one left.
  perform from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back. Free text leaves it
  -- in any case; an answer without a path does so where answers are shared at all.
  select case
           when not person.is_active then 'inactive person'
           when s.id is null then 'no such session'
           when s.user_id <> the_person then 'not theirs'
           when s.answering_until > now() then 'being answered'
           when person.time_zone <> the_zone then 'another time zone'
         end,
         person.time_zone, item.university_id, s.content_item_id, s.content_fingerprint,
         place.shared, place.parent_id, place.model,
         the_kind = 'free' or (course.cache_enabled and not place.on_path),
         tutor.id, tutor.name, tutor.version, stored.id, stored.chunks
  into refusal, time_zone, university, content_item_id, content_fingerprint,
       shared, parent_id, model, leaves_tree, prompt, tutor_name, tutor_version, node, chunks
  from users as person
  left join (
    chat_sessions as s
    join content_items as item on item.id = s.content_item_id
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
  ) on s.id = the_session
  left join lateral (
    select on_path, on_path and course.cache_enabled and s.cache_state = 'tracking' as shared,
           case when the_kind = 'answer' then s.cache_node_id end as parent_id,
           coalesce(course.llm_model, default_model) as model
    from (select the_kind = 'start' or (the_kind = 'answer' and s.cache_node_id is not null) as on_path) as path
  ) as place on true
  left join lateral tutor_prompt_of(type.name, tutor_prompt) as tutor on true
  left join lateral (
    select n.id, n.chunks
    from cache_nodes as n
    where place.shared and n.content_item_id = s.content_item_id
      -- Not "is not distinct from", which uses no index.
      and (n.parent_id = place.parent_id or (n.parent_id is null and place.parent_id is null))
      and n.message_hash = the_hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = place.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = s.content_fingerprint and n.chunks is not null
    -- Which keeps it from being pruned until the cursor stands on it.
    for key share
  ) as stored on true
  where person.id = the_person;
  if not found then return; end if;
  if refusal is not null then
    return next;
    return;
  end if;

  perform record_activity(the_person, 'asked', 'content_item', content_item_id, university, content_item_id, null,
                          moment, today);
  with hit as (
    insert into cache_hits (node_id) select node where node is not null
  ), turned as (
    update chat_sessions
    set cache_node_id = coalesce(node, cache_node_id),
        cache_state = case when leaves_tree then 'diverged' else cache_state end,
        answering_until = case when node is null then now() + make_interval(secs => lease_seconds) end,
        answering_token = case when node is null then the_token end,
        updated_at = case when node is null then updated_at else now() end
    where id = the_session
  ), said as (
    select nextval('chat_messages_id_seq')::int as question,
           case when node is not null then nextval('chat_messages_id_seq')::int end as answer,
           case when node is not null then jsonb_build_object(
             'source', 'cache', 'model', open_turn.model, 'prompt_name', tutor_name, 'prompt_version', tutor_version,
             'latency_ms', round(extract(milliseconds from clock_timestamp() - statement_timestamp())),
             'cache_node_id', node) end as meta
  ), exchange as (
    insert into chat_messages (id, session_id, role, content, meta, in_reply_to_id, on_shared_path)
    overriding system value
    select question, the_session, 'user', the_content, '{}'::jsonb, null::int, false from said
    union all
    select answer, the_session, 'assistant',
           (select string_agg(chunk, '') from jsonb_array_elements_text(open_turn.chunks) as chunk),
           said.meta, question, true
    from said where answer is not null
  )
  select question, answer, now(), said.meta into message_id, answer_id, answered_at, meta from said;
  if node is not null then
    return next;
    return;
  end if;

  candidates := '[]';
  if prompt is not null then
    select json_build_object('root', prompt, 'prompts', reached.prompts, 'links', reached.links) into graph
    from reached_prompts(array[prompt], 0, deepest) as reached;
    if shared then
      select coalesce(json_agg(json_build_object(
               'id', likely.id, 'prompt_fingerprint', likely.prompt_fingerprint, 'chunks', likely.chunks)), '[]')
      into candidates
      from (
        select n.id, n.prompt_fingerprint, n.chunks
        from cache_nodes as n
        where n.content_item_id = open_turn.content_item_id
          and (n.parent_id = open_turn.parent_id or (n.parent_id is null and open_turn.parent_id is null))
          and n.message_hash = the_hash and n.prompt_name = tutor_name and n.prompt_version = tutor_version
          and n.model = open_turn.model and n.content_fingerprint = open_turn.content_fingerprint
        order by n.id desc
        limit most_candidates
      ) as likely;
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Closes a turn: stores the answer, moves the cursor, ends the lease, and does to the tree what the answer's place
-- says: 'hit' (the node gave it), 'followed' (another call made it meanwhile), 'filled' (this call made it under its
-- lease), or none. A node that is gone by now leaves the cursor where it was, and the answer is kept all the same.
create or replace function close_turn(
  the_session integer, the_token uuid, question integer, answer text, the_meta jsonb, on_path boolean,
  place text, node integer, fill_token uuid, fill_chunks jsonb, tokens_in integer, tokens_out integer
) returns table (id integer, created_at timestamptz) language plpgsql as $$
declare
  standing integer;
begin
  if place = 'filled' then
    update cache_nodes as n
    set chunks = fill_chunks, filling_until = null, filling_token = null,
        input_tokens = tokens_in, output_tokens = tokens_out, last_used_at = now()
    where n.id = node and n.filling_token = fill_token;
    if found then delete from cache_fill_chunks where node_id = node; end if;
  end if;
  -- The lock keeps the node from being pruned until the cursor stands on it.
  select n.id into standing from cache_nodes as n where n.id = node and n.chunks is not null for key share;
  if place = 'hit' and standing is not null then insert into cache_hits (node_id) values (standing); end if;
  update chat_sessions as s
  set cache_node_id = coalesce(standing, s.cache_node_id), updated_at = now(),
      answering_until = null, answering_token = null
  where s.id = the_session and s.answering_token = the_token;
  return query
    insert into chat_messages as m (session_id, role, content, meta, in_reply_to_id, on_shared_path)
    values (the_session, 'assistant', answer, the_meta, question, on_path)
    returning m.id, m.created_at;
end $$;
--> statement-breakpoint
-- No course is needed for itself, through however many others. Within a university new prerequisites wait for each
-- other: two that make a cycle only together meet one after the other.
create or replace function course_prerequisites_stay_acyclic() returns trigger language plpgsql as $$
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
-- The set of a course's subjects, in place of the one before: `[{"subject_id": 1, "is_primary": true}, …]`.
-- The subject that is marked, or none, is the course's primary subject from now on. Answers the set.
create or replace function replace_course_subjects(course integer, wanted jsonb) returns setof course_subjects
language plpgsql as $$
begin
  perform from courses where id = course for no key update;
  delete from course_subjects where course_id = course;
  insert into course_subjects (course_id, subject_id, is_primary)
  select course, subject_id, is_primary
  from jsonb_to_recordset(wanted) as one (subject_id integer, is_primary boolean);
  update courses set updated_at = now(), primary_subject_id = (
    select subject_id from course_subjects where course_id = course and is_primary
  ) where id = course;
  return query select * from course_subjects where course_id = course;
end $$;
--> statement-breakpoint
create or replace function utc_day(moment timestamptz) returns date language sql immutable as $$
  select (moment at time zone 'UTC')::date
$$;
--> statement-breakpoint
create or replace function utc_midnight(day date) returns timestamptz language sql immutable as $$
  select day::timestamp at time zone 'UTC'
$$;
--> statement-breakpoint
-- Whoever takes or gives up a place keeps the course from being deleted first, and only then locks the offering and
-- the popularity: a deletion takes the course before both, so that the two never wait for each other.
create or replace function keep_course(offering integer) returns void language sql as $$
  select from courses where id = (select course_id from course_offerings where id = offering) for key share
$$;
--> statement-breakpoint
create or replace function is_full(offering course_offerings) returns boolean language sql as $$
  select coalesce(offering.capacity <= (
    select count(*) from enrollments where course_offering_id = offering.id and status = 'active'
  ), false)
$$;
--> statement-breakpoint
-- Free places go to those who have waited longest, all of them where there is no capacity; `passed_over` is who has
-- just gone back to waiting.
create or replace function fill_places(offering integer, passed_over integer default null) returns void
language sql as $$
  update enrollments set status = 'active' where id in (
    select id from enrollments
    where course_offering_id = offering and status = 'waitlisted' and id is distinct from passed_over
    order by enrolled_at, id
    limit (
      select capacity - least(capacity, (
        select count(*) from enrollments where course_offering_id = offering and status = 'active'
      )) from course_offerings where id = offering
    )
  )
$$;
--> statement-breakpoint
-- Later than everyone who waits already, however the clocks of the callers differ.
create or replace function end_of_waiting_list(offering integer, moment timestamptz) returns timestamptz
language sql as $$
  select greatest(moment, max(enrolled_at) + interval '1 millisecond') from enrollments
  where course_offering_id = offering and status = 'waitlisted'
$$;
--> statement-breakpoint
-- The strict prerequisites of the offering's course that the person has completed in no offering; null for none.
create or replace function unmet_prerequisites(offering course_offerings, person integer) returns text
language sql as $$
  select string_agg(required.code || ' ' || required.title, ', ' order by required.code)
  from course_prerequisites join courses as required on required.id = prerequisite_course_id
  where course_id = offering.course_id and prerequisite_type = 'strict' and not exists (
    select from enrollments join course_offerings as taken on taken.id = course_offering_id
    where user_id = person and status = 'completed' and taken.course_id = required.id
  )
$$;
--> statement-breakpoint
-- Why the person may not take up the offering at that moment, and what is missing; two nulls when they may.
create or replace function refusal_to_enroll(
  offering course_offerings, person integer, moment timestamptz, out refusal text, out missing text
) language plpgsql as $$
begin
  if moment < offering.enrollment_start or moment > offering.enrollment_end then
    refusal := 'not_open';
    return;
  end if;
  missing := unmet_prerequisites(offering, person);
  if missing is not null then refusal := 'unmet_prerequisites'; end if;
end $$;
--> statement-breakpoint
-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. No row: the offering is gone.
create or replace function enroll(offering integer, person integer, moment timestamptz)
returns table (refusal text, missing text, enrollment enrollments) language plpgsql as $$
declare
  run course_offerings;
  waits boolean;
begin
  perform keep_course(offering);
  select * into run from course_offerings where id = offering for no key update;
  if not found then return; end if;
  select * into refusal, missing from refusal_to_enroll(run, person, moment);
  if refusal is distinct from 'not_open' and exists (
    select from enrollments
    where course_offering_id = offering and user_id = person and status <> 'dropped'
  ) then
    refusal := 'already_enrolled';
  end if;
  if refusal is null then
    waits := is_full(run);
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
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Moves an enrollment to another status, `wanted` null for none. The owner takes a place up only as if enrolling
-- anew; staff may overfill an offering. Whoever goes to the waiting list stands at its end, and a place that is
-- left goes to the next in line.
create or replace function set_enrollment_status(
  moved integer, wanted text, by_owner boolean, moment timestamptz
) returns table (refusal text, missing text, enrollment enrollments) language plpgsql as $$
declare
  run course_offerings;
  former text;
begin
  perform keep_course(course_offering_id) from enrollments where id = moved;
  select course_offerings.* into run
  from enrollments join course_offerings on course_offerings.id = course_offering_id
  where enrollments.id = moved for no key update of course_offerings;
  select * into enrollment from enrollments where id = moved;
  former := enrollment.status;
  if wanted <> former and wanted = 'active' and by_owner then
    select * into refusal, missing from refusal_to_enroll(run, enrollment.user_id, moment);
    if refusal is null and is_full(run) then refusal := 'full'; end if;
  end if;
  if wanted <> former and refusal is null then
    update enrollments set
      status = wanted,
      completed_at = case when wanted = 'completed' then moment end,
      enrolled_at = case when wanted = 'waitlisted' then end_of_waiting_list(run.id, moment)
                           else enrolled_at end
    where id = moved returning enrollments.* into enrollment;
    if former = 'active' then perform fill_places(run.id, moved); end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
create or replace function course_offerings_fill_places() returns trigger language plpgsql as $$
begin
  perform fill_places(new.id);
  return null;
end $$;
--> statement-breakpoint
create or replace function enrollments_take_university() returns trigger language plpgsql as $$
begin
  new.university_id := (select university_id from course_offerings where id = new.course_offering_id);
  return new;
end $$;
--> statement-breakpoint
-- Enrollments are dropped in many ways, and each is noted; one that is taken up again keeps the moment.
create or replace function note_drop() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.dropped_at := coalesce(new.dropped_at, now());
  elsif old.status <> 'dropped' and new.dropped_at is not distinct from old.dropped_at then
    new.dropped_at := now();
  end if;
  return new;
end $$;
--> statement-breakpoint
create or replace function feature_requests_keep_totals() returns trigger language plpgsql as $$
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
-- A parent that does not exist, or is another course's, is left to the foreign key.
create or replace function modules_take_place() returns trigger language plpgsql as $$
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
create or replace function modules_take_subtree_along() returns trigger language plpgsql as $$
begin
  with recursive below as (
    select id, new.depth + 1 as depth from modules where parent_module_id = new.id
    union all
    select child.id, below.depth + 1
    from modules as child join below on child.parent_module_id = below.id
  )
  update modules set depth = below.depth from below where modules.id = below.id;
  return null;
end $$;
--> statement-breakpoint
create or replace function content_items_take_place() returns trigger language plpgsql as $$
begin
  if new.sequence_index is null then
    perform from courses where id = new.course_id for no key update;
    new.sequence_index := coalesce(
      (select max(sequence_index) + 1 from content_items where module_id = new.module_id), 1);
  end if;
  return new;
end $$;
--> statement-breakpoint
-- Numbers the siblings from 1: the named ones in the order given, then the others in their old order. Answers all.
create or replace function reorder_modules(course integer, named integer[]) returns setof modules
language plpgsql strict as $$
declare
  parent integer;
begin
  perform from courses where id = course for no key update;
  select parent_module_id into parent from modules where id = named[1];
  if cardinality(named) <> (
    select count(*) from modules
    where course_id = course and parent_module_id is not distinct from parent and id = any (named)
  ) then
    raise exception 'modules % are not siblings, or not each named once', named
      using errcode = 'check_violation', table = 'modules', constraint = 'modules_reorder_siblings';
  end if;
  update modules set sequence_index = place.rank, updated_at = now()
  from (
    select id, row_number() over (order by array_position(named, id), sequence_index) as rank
    from modules where course_id = course and parent_module_id is not distinct from parent
  ) as place
  where modules.id = place.id and modules.sequence_index <> place.rank;
  return query select * from modules
    where course_id = course and parent_module_id is not distinct from parent;
end $$;
--> statement-breakpoint
-- The same for the content of one module.
create or replace function reorder_content_items(course integer, named integer[]) returns setof content_items
language plpgsql strict as $$
declare
  module integer;
begin
  perform from courses where id = course for no key update;
  select module_id into module from content_items where id = named[1];
  if cardinality(named) <> (
    select count(*) from content_items where module_id = module and id = any (named)
  ) then
    raise exception 'content items % are not of one module, or not each named once', named
      using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_reorder_siblings';
  end if;
  update content_items set sequence_index = place.rank, updated_at = now()
  from (
    select id, row_number() over (order by array_position(named, id), sequence_index) as rank
    from content_items where module_id = module
  ) as place
  where content_items.id = place.id and content_items.sequence_index <> place.rank;
  return query select * from content_items where module_id = module;
end $$;
--> statement-breakpoint
create or replace function keep_popularity_of_subjects(course integer) returns void language plpgsql as $$
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
create or replace function courses_keep_popularity() returns trigger language plpgsql as $$
begin
  insert into course_popularity (course_id) values (new.id) on conflict do nothing;
  perform keep_popularity_of_subjects(new.id);
  return null;
end $$;
--> statement-breakpoint
create or replace function course_subjects_keep_popularity() returns trigger language plpgsql as $$
begin
  perform keep_popularity_of_subjects(id) from courses where id = coalesce(new.course_id, old.course_id);
  return null;
end $$;
--> statement-breakpoint
create or replace function enrollments_keep_popularity() returns trigger language plpgsql as $$
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
-- The published courses of these subjects that most people take.
create or replace function most_taken_courses(subjects integer[], passed_over integer[], most integer)
returns integer[] language plpgsql stable as $$
begin
  return array(
    select course_id from (
      select distinct course_id, enrollments from unnest(subjects) as subject, lateral (
        select course_id, enrollments from course_popularity join courses on id = course_id
        where subject_id = subject and is_published and course_id <> all (passed_over)
        order by enrollments desc, course_id limit most
      ) as of_subject
    ) as of_subjects order by enrollments desc, course_id limit most);
end $$;
--> statement-breakpoint
-- Published courses that the person has not been enrolled in: first those of a subject that they said they like, then
-- those of a subject that they learn already, then all others; of each the ones that most people take.
create or replace function recommended_courses(person integer, most integer) returns setof courses
language plpgsql stable as $$
declare
  own integer[] := array(
    select distinct course_id from enrollments
    join course_offerings on course_offerings.id = course_offering_id where user_id = person);
  found integer[];
begin
  found := most_taken_courses(
    array(select subject_id from user_subject_preferences where user_id = person), own, most);
  if cardinality(found) < most then
    found := found || most_taken_courses(
      array(select distinct subject_id from course_popularity where course_id = any (own) and subject_id is not null),
      own || found, most - cardinality(found));
  end if;
  if cardinality(found) < most then
    -- Written with the subject in the order, which is no order among nulls: only so is the index read in its own.
    found := found || array(
      select course_id from course_popularity join courses on id = course_id
      where subject_id is null and is_published and course_id <> all (own) and course_id <> all (found)
      order by subject_id, enrollments desc, course_id limit most - cardinality(found));
  end if;
  return query select courses.* from unnest(found) with ordinality as ranked (course_id, place)
    join courses on courses.id = ranked.course_id order by place;
end $$;
--> statement-breakpoint
-- Whether every reference below a prompt leads somewhere, at most so many levels deep. A cycle is endlessly deep.
create or replace function prompt_is_whole(prompt integer, levels integer) returns boolean
language sql stable as $$
  with recursive reached as (
    select prompt as id, 0 as level
    union
    select child_id, level + 1
    from reached join prompt_links on prompt_links.prompt_id = reached.id
    where level <= levels
  )
  select bool_and(id is not null and level <= levels) from reached
$$;
--> statement-breakpoint
-- The prompts whose references lead to one of the labels of a name, at once or through others.
create or replace function prompts_reaching(named text, moving text[]) returns setof integer language sql stable as $$
  with recursive above as (
    select prompt_id from prompt_dependencies where child_name = named and child_label = any (moving)
    union
    select prompt_links.prompt_id
    from above
    join prompts on prompts.id = above.prompt_id
    join prompt_links
      on prompt_links.child_name = prompts.name and prompt_links.child_id = prompts.id
  )
  select prompt_id from above
$$;
--> statement-breakpoint
-- How many characters the prompts have with their references inlined, so many levels deep. No text is put together:
-- a prompt has its own characters, without its tags, and those of each prompt that it references as often as it does so.
create or replace function resolved_lengths(roots integer[], deepest integer)
returns table (prompt integer, characters numeric) language plpgsql stable as $$
declare
  ids integer[];
  own numeric[];
  lengths numeric[];
  deeper numeric[];
begin
  with recursive reached (id, level) as (
      select unnest(roots), 0
    union
      select link.child_id, reached.level + 1
      from reached join prompt_links as link on link.prompt_id = reached.id
      where reached.level < deepest
  )
  select array_agg(p.id order by p.id),
         array_agg(p.characters - coalesce(
           (select sum(tag_characters) from prompt_dependencies where prompt_id = p.id), 0) order by p.id)
  into ids, own from prompts as p where p.id in (select id from reached);
  lengths := own;
  -- Each turn looks one level deeper, for all prompts at once, until that changes nothing.
  for level in 1 .. deepest loop
    select array_agg(one.own + coalesce(below.characters, 0) order by one.rank) into deeper
    from unnest(ids, own) with ordinality as one (id, own, rank)
    left join (
      select link.prompt_id, sum(link.occurrences * child.characters) as characters
      from prompt_links as link join unnest(ids, lengths) as child (id, characters) on child.id = link.child_id
      where link.prompt_id = any (ids)
      group by link.prompt_id
    ) as below on below.prompt_id = one.id;
    exit when deeper = lengths;
    lengths := deeper;
  end loop;
  return query select one.id, one.length from unnest(ids, lengths) as one (id, length) where one.id = any (roots);
end $$;

-- Those of the prompts that can be resolved: whole, and of no more characters than `longest`.
create or replace function resolvable_prompts(among integer[], deepest integer, longest integer) returns integer[]
language sql stable as $$
  select coalesce(array_agg(prompt order by prompt), '{}')
  from resolved_lengths(
    array(select id from unnest(among) as one (id) where prompt_is_whole(id, deepest)), deepest)
  where characters <= longest
$$;

-- Those that reach one of the labels and can be resolved: they have to be so when the labels have moved.
create or replace function resolvable_prompts_reaching(named text, moving text[], deepest integer, longest integer)
returns integer[] language sql stable as $$
  select resolvable_prompts(array(select prompts_reaching(named, moving)), deepest, longest)
$$;
--> statement-breakpoint
-- Refuses when one of the prompts cannot be resolved. The detail is the way to its first reference that cannot be
-- followed, `{"problem": "cycle", "chain": ["a", "b", "a"]}`, or the prompt that would be too long.
create or replace function refuse_broken_prompts(checked integer[], deepest integer, longest integer)
returns void language plpgsql as $$
declare
  path integer[];
  chain text[];
  link prompt_links;
begin
  select array[prompts.id], array[name]::text[] into path, chain
  from unnest(checked) with ordinality as one (id, rank) join prompts on prompts.id = one.id
  where not prompt_is_whole(one.id, deepest) order by rank limit 1;
  if not found then
    select array[name]::text[] into chain
    from resolved_lengths(checked, deepest) as one join prompts on prompts.id = one.prompt
    where one.characters > longest order by array_position(checked, one.prompt) limit 1;
    if found then
      perform refuse_prompt_change(
        'prompt_references_whole', jsonb_build_object('problem', 'too long', 'chain', chain)::text);
    end if;
    return;
  end if;
  for levels_left in reverse deepest - 1 .. -1 loop
    select * into link from prompt_links
    where prompt_id = path[cardinality(path)]
      and (child_id is null or not prompt_is_whole(child_id, levels_left))
    order by position limit 1;
    chain := chain || link.child_name::text;
    path := path || link.child_id;
    exit when link.child_id is null or link.child_id = any (trim_array(path, 1));
  end loop;
  perform refuse_prompt_change('prompt_references_whole', jsonb_build_object(
    'problem', case when link.child_id is null then 'missing'
                    when link.child_id = any (trim_array(path, 1)) then 'cycle' else 'too deep' end,
    'chain', chain, 'child_version', link.child_version, 'child_label', link.child_label)::text);
end $$;
--> statement-breakpoint
-- The prompts that `roots` reach by their references, themselves included, and where each reference leads. `depth` is
-- how deep the roots stand; one level more than `deepest` is fetched, so that "too deep" is told from "missing".
create or replace function reached_prompts(
  roots integer[], depth integer, deepest integer, out prompts json, out links json
) language plpgsql stable as $$
begin
  -- Most prompts reference no other, and are spared the recursion.
  if not exists (select from prompt_dependencies where prompt_id = any (roots)) then
    links := '[]';
    select coalesce(
             json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
    into prompts from prompts as p where p.id = any (roots);
    return;
  end if;
  with recursive reached (id, level) as (
      select root, depth from unnest(roots) as root
    union
      select link.child_id, reached.level + 1
      from reached join prompt_links as link on link.prompt_id = reached.id
      where link.child_id is not null and reached.level <= deepest
  )
  select
    (select coalesce(
              json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
     from prompts as p where p.id in (select id from reached)),
    (select coalesce(json_agg(link), '[]') from (
       select distinct child_name, child_version, child_label, child_id
       from prompt_links where prompt_id in (select id from reached)) as link)
  into prompts, links;
end $$;
--> statement-breakpoint
create or replace function lock_prompts() returns void language sql as $$
  select pg_advisory_xact_lock('prompts'::regclass::oid::int, 0)
$$;
--> statement-breakpoint
create or replace function refuse_prompt_change(rule text, about text default null) returns void language plpgsql as $$
begin
  raise exception 'prompts would break the rule %', rule
    using errcode = 'check_violation', table = 'prompts', constraint = rule, detail = coalesce(about, '');
end $$;
--> statement-breakpoint
-- Puts labels on a version, whence they leave the others of the name, or takes them off where the version is null.
-- The clock is read after the wait for the lock, so that the recorded moments are in the order of the changes.
create or replace function place_prompt_labels(named text, placed text[], target integer, person integer)
returns void language plpgsql as $$
declare
  moved text[] := array(
    select unnest(placed) except select label from prompt_labels where prompt_id = target order by 1);
begin
  if moved = '{}' then return; end if;
  insert into prompt_label_events (name, label, from_version, to_version, changed_by, changed_at)
  select named, one.label, former.version,
         (select version from prompts where id = target), person, clock_timestamp()
  from unnest(moved) as one (label)
  left join prompt_labels as held on held.name = named and held.label = one.label
  left join prompts as former on former.id = held.prompt_id;
  update prompts set updated_at = now() where id = target or id in (
    select prompt_id from prompt_labels where name = named and label = any (moved));
  delete from prompt_labels where name = named and label = any (moved);
  insert into prompt_labels (name, label, prompt_id)
  select named, label, target from unnest(moved) as one (label) where target is not null;
end $$;
--> statement-breakpoint
-- Adds the next version of a name, with `latest` and the labels wanted. `tagged` null keeps the name's tags.
-- `referenced`, in order: `[{"child_name": "tone", "child_version": null, "child_label": "formal", "occurrences": 1,
-- "tag_characters": 43}, …]`. What no change may break is how deep references nest, at most `deepest` levels, and
-- how long a resolved text is, at most `longest` characters.
create or replace function create_prompt_version(
  named text, body text, settings jsonb, wanted text[], tagged text[], message text,
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
    latest_version = prompt_names.latest_version + 1, tags = coalesce(tagged, prompt_names.tags)
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
  checked := made || resolvable_prompts_reaching(named, wanted, deepest, longest);
  perform place_prompt_labels(named, wanted, made, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  return query select * from prompt_versions where id = made;
end $$;
--> statement-breakpoint
-- Sets a version's labels to those wanted; `latest` stays where it is. The `guarded` ones are not the caller's to
-- put on, move or take off. No row: there is no such version.
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
  checked := resolvable_prompts_reaching(named, added || removed, deepest, longest);
  perform place_prompt_labels(named, added, target, person);
  perform place_prompt_labels(named, removed, null, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  return query select * from prompt_versions where id = target;
end $$;
--> statement-breakpoint
-- Sets the tags of all versions of a name; false when there is none.
create or replace function set_prompt_tags(named text, tagged text[]) returns boolean language plpgsql as $$
begin
  perform lock_prompts();
  update prompt_names set tags = tagged where name = named and tags <> tagged;
  if found then update prompts set updated_at = now() where name = named; end if;
  return exists (select from prompt_names where name = named);
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
  perform place_prompt_labels(named, lost, null, person);
  if heir is null then
    delete from prompt_names where name = named;
  else
    checked := resolvable_prompts_reaching(named, '{latest}', deepest, longest);
    perform place_prompt_labels(named, '{latest}', heir, person);
    delete from prompts where id = any (doomed);
    perform refuse_broken_prompts(checked, deepest, longest);
  end if;
  return true;
end $$;
--> statement-breakpoint
create or replace function note_events() returns trigger language plpgsql as $$
begin
  insert into uncounted_events select id from added;
  return null;
end $$;
--> statement-breakpoint
-- What an event counts for: in each scope a target, the course or the topic. An event without a topic belongs to the
-- course of its offering.
create or replace function activity_scopes(verb text, topic integer, offering integer)
returns table (scope text, target integer, course_id integer) language sql stable as $$
  select kind.scope, case kind.scope when 'anywhere' then null when 'course' then place.course_id else topic end,
         case when kind.scope <> 'anywhere' then place.course_id end
  from (select coalesce(
    (select i.course_id from content_items as i where i.id = topic),
    (select o.course_id from course_offerings as o where o.id = offering)
  ) as course_id) as place
  cross join (values ('anywhere'), ('course'), ('topic'), ('tutor')) as kind (scope)
  where case kind.scope
    when 'anywhere' then true
    when 'course' then place.course_id is not null
    when 'topic' then topic is not null
    else topic is not null and verb = 'asked'
  end
$$;
--> statement-breakpoint
-- When a person was active in a scope: by events that are counted, and by the uncounted up to a number.
create or replace function activity_moments(in_scope text, person integer, target integer, seen bigint)
returns table (moment timestamptz) language sql stable as $$
  select e.occurred_at from activity_events as e
  where in_scope = 'anywhere' and e.user_id = person
    and not exists (select from uncounted_events as u where u.event_id = e.id and u.event_id > seen)
  union all
  select e.occurred_at from activity_events as e
  where in_scope = 'course' and e.user_id = person and target = coalesce(
    (select i.course_id from content_items as i where i.id = e.content_item_id),
    (select o.course_id from course_offerings as o where o.id = e.course_offering_id)
  )
    and not exists (select from uncounted_events as u where u.event_id = e.id and u.event_id > seen)
  union all
  select e.occurred_at from activity_events as e
  where in_scope in ('topic', 'tutor') and e.user_id = person and e.content_item_id = target
    and (in_scope = 'topic' or e.verb = 'asked')
    and not exists (select from uncounted_events as u where u.event_id = e.id and u.event_id > seen)
$$;
--> statement-breakpoint
create or replace function people_measure(scope text) returns text language sql immutable as $$
  select case scope when 'anywhere' then 'people' else scope || '_people' end
$$;
--> statement-breakpoint
-- The day of the last activity before a day.
create or replace function active_before(in_scope text, person integer, target integer, before date, seen bigint)
returns date language sql stable as $$
  select utc_day(moment) from activity_moments(in_scope, person, target, seen)
  where moment < utc_midnight(before) order by moment desc limit 1
$$;
--> statement-breakpoint
-- The time of a person on a topic on a day: the pauses of up to 30 minutes, each on the day on which it ended.
create or replace function topic_milliseconds(person integer, topic integer, on_day date, seen bigint)
returns numeric language sql stable as $$
  select coalesce(sum(extract(epoch from pause) * 1000), 0)
  from (
    select moment, moment - lag(moment) over (order by moment) as pause
    from activity_moments('topic', person, topic, seen)
    where moment >= utc_midnight(on_day) - interval '30 minutes' and moment < utc_midnight(on_day + 1)
  ) as paced
  where moment >= utc_midnight(on_day) and pause <= interval '30 minutes'
$$;
--> statement-breakpoint
-- Counts the first of the uncounted events, whatever their order: a day on which someone was not active before, the
-- active day that follows it, since its day before is another now, questions, and the time on a topic. What the totals
-- should hold now is added, and what they held is taken away. It is one statement, which sees one state of everything:
-- what it takes from the list is still on it for its own parts, and what is written meanwhile is left for later.
create or replace function count_events(most integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  newest bigint := (
    select max(event_id) from (select event_id from uncounted_events order by event_id limit most) as first
  );
  counted integer;
begin
  if newest is null then return 0; end if;
  with new as (
    delete from uncounted_events where event_id <= newest returning event_id
  ), added as materialized (
    select e.* from new join activity_events as e on e.id = new.event_id
  ), touched as materialized (
    select s.scope, s.target, s.course_id, a.user_id, utc_day(a.occurred_at) as day,
           count(*) as events, max(a.occurred_at) as latest
    from added as a, activity_scopes(a.verb, a.content_item_id, a.course_offering_id) as s
    group by 1, 2, 3, 4, 5
  ), fresh as materialized (
    select scope, target, course_id, user_id, day from touched
    where not exists (
      select from activity_moments(scope, user_id, target, 0)
      where moment >= utc_midnight(day) and moment < utc_midnight(day + 1)
    )
  ), following as (
    select scope, target, course_id, user_id, utc_day(next.moment) as day
    from fresh, lateral (
      select moment from activity_moments(scope, user_id, target, newest)
      where moment >= utc_midnight(day + 1) order by moment limit 1
    ) as next
    except select scope, target, course_id, user_id, day from fresh
  ), paced as (
    select user_id, target, course_id, day from touched where scope = 'topic'
    union
    select user_id, target, course_id, day + 1 from touched
    where scope = 'topic' and latest >= utc_midnight(day + 1) - interval '30 minutes'
  ), state (sign, seen) as (
    values (1, newest), (-1, 0)
  ), change (measure, course_id, day, since, amount) as (
    select people_measure(scope), course_id, day, active_before(scope, user_id, target, day, newest), 1 from fresh
    union all
    select people_measure(scope), course_id, day, active_before(scope, user_id, target, day, seen), sign
    from following, state
    union all
    select 'topic_milliseconds', course_id, day, null, sign * topic_milliseconds(user_id, target, day, seen)
    from paced, state
    union all
    select 'tutor_questions', course_id, day, null, events from touched where scope = 'tutor'
  ), noted as (
    insert into uncounted_changes
    select measure, course_id, day, since, sum(amount) from change group by 1, 2, 3, 4 having sum(amount) <> 0
  ), walked as (
    insert into uncounted_trees
    select distinct course_offering_id, user_id from added where course_offering_id is not null
  )
  select count(*) into counted from new;
  return counted;
end $$;
--> statement-breakpoint
-- What events of these people, or of all for null, count for; on request as if the uncounted were not there.
create or replace function activity_counts(people integer[], without_new boolean) returns setof uncounted_changes
language sql stable as $$
  with paced as (
    select s.scope, s.target, s.course_id, e.user_id, utc_day(e.occurred_at) as day,
           e.occurred_at - lag(e.occurred_at) over (
             partition by s.scope, e.user_id, s.target order by e.occurred_at
           ) as pause
    from activity_events as e, activity_scopes(e.verb, e.content_item_id, e.course_offering_id) as s
    where (people is null or e.user_id = any (people))
      and not (without_new and exists (select from uncounted_events as u where u.event_id = e.id))
  ), person_day as materialized (
    select scope, course_id, day, count(*) as events,
           sum(extract(epoch from pause) * 1000) filter (where pause <= interval '30 minutes') as milliseconds,
           lag(day) over (partition by scope, user_id, target order by day) as since
    from paced group by scope, user_id, target, course_id, day
  )
  select people_measure(scope), course_id, day, since, 1::numeric from person_day
  union all
  select 'topic_milliseconds', course_id, day, null, milliseconds from person_day
  where scope = 'topic' and milliseconds is not null
  union all
  select 'tutor_questions', course_id, day, null, events from person_day where scope = 'tutor'
$$;
--> statement-breakpoint
-- Counts all uncounted events of the first people who have any: what they should come to now is added, and what they
-- came to without the new ones is taken away. All events of these people are read for it, which pays for many.
create or replace function count_events_of_people(most integer) returns integer language plpgsql as $$
declare
  people integer[] := array (
    select distinct e.user_id
    from (select event_id from uncounted_events order by event_id limit most) as first
    join activity_events as e on e.id = first.event_id
  );
  counted integer;
begin
  with new as (
    delete from uncounted_events as u using activity_events as e
    where e.id = u.event_id and e.user_id = any (people)
    returning e.course_offering_id, e.user_id
  ), noted as (
    insert into uncounted_changes
    select measure, course_id, day, since, sum(sign * amount)
    from (values (1, false), (-1, true)) as state (sign, without_new)
    cross join lateral activity_counts(people, without_new)
    group by measure, course_id, day, since having sum(sign * amount) <> 0
  ), walked as (
    insert into uncounted_trees
    select distinct course_offering_id, user_id from new where course_offering_id is not null
  )
  select count(*) into counted from new;
  return counted;
end $$;
--> statement-breakpoint
-- What a row counts for, while it is there, for each table whose rows are counted.
create or replace function counts_of(one users) returns setof uncounted_changes language sql stable as $$
  select 'signups', null::integer, utc_day(one.created_at), null::date, 1::numeric
$$;
--> statement-breakpoint
create or replace function counts_of(one enrollments) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, day, null::date, 1::numeric
  from course_offerings as o
  cross join (values ('enrollments_' || one.status, null), ('drops', utc_day(one.dropped_at))) as counted (measure, day)
  where o.id = one.course_offering_id and (measure <> 'drops' or day is not null)
$$;
--> statement-breakpoint
create or replace function counts_of(one user_content_progress) returns setof uncounted_changes
language sql stable as $$
  select measure, o.course_id, day, since, 1::numeric
  from course_offerings as o
  cross join (values
    ('topics_started', utc_day(one.first_started_at), null),
    ('topics_completed', utc_day(one.completed_at), utc_day(one.first_started_at))
  ) as counted (measure, day, since)
  where o.id = one.course_offering_id and day is not null
$$;
--> statement-breakpoint
create or replace function counts_of(one course_trees) returns setof uncounted_changes language sql stable as $$
  select 'trees_completed', one.course_id, one.completed_on, null::date, 1::numeric where one.completed_on is not null
  union all
  select 'trees_interrupted', one.course_id, day, null, amount
  from unnest(one.interrupted) as pause
  cross join lateral (values (lower(pause), 1), (upper(pause), -1)) as turn (day, amount)
  where day is not null
$$;
--> statement-breakpoint
create or replace function counts_of(one quiz_attempts) returns setof uncounted_changes language sql stable as $$
  select measure, null::integer, utc_day(one.submitted_at), null::date, amount
  from (values
    ('quizzes_submitted', 1),
    ('quizzes_passed', one.passed::int),
    ('quizzes_failed', (not one.passed)::int),
    ('quizzes_scored', (one.score_obtained is not null and one.max_score <> 0)::int),
    ('quiz_scores', one.score_obtained / nullif(one.max_score, 0))
  ) as counted (measure, amount)
  where one.submitted_at is not null and amount <> 0
$$;
--> statement-breakpoint
create or replace function counts_of(one lab_submissions) returns setof uncounted_changes language sql stable as $$
  select measure, null::integer, utc_day(one.submitted_at), null::date, amount
  from (values
    ('labs_submitted', 1),
    ('labs_graded', (one.status = 'graded')::int),
    ('labs_scored', (one.score_obtained is not null and one.max_score <> 0)::int),
    ('lab_scores', one.score_obtained / nullif(one.max_score, 0))
  ) as counted (measure, amount)
  where amount <> 0
$$;
--> statement-breakpoint
create or replace function counts_of(one notes) returns setof uncounted_changes language sql stable as $$
  select 'notes', null::integer, null::date, null::date, 1::numeric
$$;
--> statement-breakpoint
create or replace function counts_of(one flashcards) returns setof uncounted_changes language sql stable as $$
  select 'flashcards', null::integer, null::date, null::date, 1::numeric
$$;
--> statement-breakpoint
create or replace function counts_of(one flashcard_reviews) returns setof uncounted_changes language sql stable as $$
  select 'flashcard_reviews', null::integer, null::date, null::date, 1::numeric
$$;
--> statement-breakpoint
create or replace function counts_of(one discussion_threads) returns setof uncounted_changes language sql stable as $$
  select 'discussion_threads', null::integer, null::date, null::date, 1::numeric
$$;
--> statement-breakpoint
create or replace function counts_of(one discussion_posts) returns setof uncounted_changes language sql stable as $$
  select 'discussion_posts', null::integer, null::date, null::date, 1::numeric where not one.is_deleted
$$;
--> statement-breakpoint
create or replace function counts_of(one course_reviews) returns setof uncounted_changes language sql stable as $$
  select measure, null::integer, null::date, null::date, amount::numeric
  from (values ('course_reviews', 1), ('course_ratings', one.rating)) as counted (measure, amount)
$$;
--> statement-breakpoint
-- Notes what a row that was written changes in the totals.
create or replace function note_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into uncounted_changes select * from counts_of(new);
  elsif tg_op = 'DELETE' then
    insert into uncounted_changes select measure, course_id, day, since, -amount from counts_of(old);
  else
    insert into uncounted_changes
    select measure, course_id, day, since, sum(amount)
    from (
      select * from counts_of(new)
      union all
      select measure, course_id, day, since, -amount from counts_of(old)
    ) as change
    group by measure, course_id, day, since
    having sum(amount) <> 0;
  end if;
  return null;
end $$;
--> statement-breakpoint
create or replace function note_messages() returns trigger language plpgsql as $$
begin
  insert into uncounted_messages select id from added;
  return null;
end $$;
--> statement-breakpoint
-- A conversation that has left the shared paths counts once, on the day on which it was opened, and stays counted.
create or replace function count_divergence() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.cache_state = new.cache_state then return null; end if;
  insert into uncounted_changes
  select 'divergences', course_id, utc_day(new.created_at), null, 1
  from content_items where id = new.content_item_id;
  return null;
end $$;
--> statement-breakpoint
-- Counts the first of the uncounted messages in the same way: answers on shared paths, and how long each conversation
-- is, on the day on which it began.
create or replace function count_messages(most integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  newest integer := (
    select max(message_id) from (select message_id from uncounted_messages order by message_id limit most) as first
  );
  counted integer;
begin
  if newest is null then return 0; end if;
  with new as (
    delete from uncounted_messages where message_id <= newest returning message_id
  ), added as materialized (
    select m.* from new join chat_messages as m on m.id = new.message_id
  ), change (session_id, measure, day, amount) as (
    select session_id, case meta ->> 'source' when 'cache' then 'hits' else 'misses' end, utc_day(created_at), 1
    from added where on_shared_path
    union all
    select spoken.session_id, one.measure, utc_day(first), sign * one.amount
    from (select distinct session_id from added) as spoken
    cross join (values (1, newest), (-1, 0)) as state (sign, seen)
    cross join lateral (
      select min(m.created_at) as first, max(m.created_at) as last from chat_messages as m
      where m.session_id = spoken.session_id
        and not exists (select from uncounted_messages as u where u.message_id = m.id and u.message_id > seen)
    ) as span
    cross join lateral (values
      ('conversations', 1), ('conversation_milliseconds', extract(epoch from span.last - first) * 1000)
    ) as one (measure, amount)
    where first is not null
  ), noted as (
    insert into uncounted_changes
    select measure, i.course_id, day, null, sum(amount)
    from change join chat_sessions as s on s.id = session_id join content_items as i on i.id = s.content_item_id
    group by measure, i.course_id, day having sum(amount) <> 0
  )
  select count(*) into counted from new;
  return counted;
end $$;
--> statement-breakpoint
-- One counts at a time, so that none overlooks another's part.
create or replace function lock_totals() returns void language sql as $$
  select pg_advisory_xact_lock('report_totals'::regclass::oid::int, 0)
$$;
--> statement-breakpoint
-- Adds the first of the noted changes to the totals: to those of a course, and to those of all courses together. What
-- is still noted of a course that is gone no longer counts.
create or replace function count_changes(most integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  counted integer;
begin
  with noted as (
    delete from uncounted_changes where ctid = any (array (select ctid from uncounted_changes limit most)) returning *
  ), added as (
    insert into report_totals as total (measure, course_id, day, since, amount)
    select measure, course_id, day, since, sum(amount) from noted
    where course_id is null or exists (select from courses where id = course_id)
    group by grouping sets ((measure, course_id, day, since), (measure, day, since))
    having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1)
    on conflict on constraint report_totals_key do update set amount = total.amount + excluded.amount
  )
  select count(*) into counted from noted;
  return counted;
end $$;
--> statement-breakpoint
-- Counts some of the uncounted events in the way that is quicker for as many as there are.
create or replace function count_some_events(out new_events integer, out is_behind boolean) language plpgsql as $$
begin
  is_behind := exists (select from uncounted_events offset 50000);
  if is_behind then new_events := count_events_of_people(200); end if;
  -- Nothing is counted by person where only the numbers are left, of events that were truncated.
  if not is_behind or new_events = 0 then
    new_events := count_events(5000);
    is_behind := new_events >= 5000;
  end if;
end $$;
--> statement-breakpoint
-- Counts what is noted, as much of it as takes a few seconds; `is_behind` says that more is left.
create or replace function count_new_totals(out new_events integer, out new_messages integer, out is_behind boolean)
language plpgsql as $$
declare
  trees integer;
  changes integer;
begin
  perform lock_totals();
  select events.new_events, events.is_behind into new_events, is_behind from count_some_events() as events;
  new_messages := count_messages(20000);
  perform count_courses();
  trees := count_trees(10000);
  changes := count_changes(100000);
  is_behind := is_behind or new_messages >= 20000 or trees >= 10000 or changes >= 100000;
end $$;
--> statement-breakpoint
-- What happened is counted before it is deleted.
create or replace function count_before_deletion() returns trigger language plpgsql as $$
begin
  perform lock_totals();
  while (select is_behind from count_some_events()) loop end loop;
  while count_messages(20000) >= 20000 loop end loop;
  return null;
end $$;
--> statement-breakpoint
-- Everything that is counted as it stands, from the rows themselves.
create or replace function standing_counts() returns setof uncounted_changes language sql stable as $$
  select counted.* from users as one, counts_of(one) as counted
  union all select counted.* from enrollments as one, counts_of(one) as counted
  union all select counted.* from user_content_progress as one, counts_of(one) as counted
  union all select counted.* from course_trees as one, counts_of(one) as counted
  union all select counted.* from quiz_attempts as one, counts_of(one) as counted
  union all select counted.* from lab_submissions as one, counts_of(one) as counted
  union all select counted.* from notes as one, counts_of(one) as counted
  union all select counted.* from flashcards as one, counts_of(one) as counted
  union all select counted.* from flashcard_reviews as one, counts_of(one) as counted
  union all select counted.* from discussion_threads as one, counts_of(one) as counted
  union all select counted.* from discussion_posts as one, counts_of(one) as counted
  union all select counted.* from course_reviews as one, counts_of(one) as counted
$$;
--> statement-breakpoint
-- Everything that is counted as what happened, from the events and messages that are there.
create or replace function happened_counts() returns setof uncounted_changes language sql stable as $$
  with spoken as (
    select session_id, utc_day(min(created_at)) as day,
           extract(epoch from max(created_at) - min(created_at)) * 1000 as milliseconds
    from chat_messages group by session_id
  ), said (session_id, measure, day, amount) as (
    select session_id, case meta ->> 'source' when 'cache' then 'hits' else 'misses' end, utc_day(created_at), 1
    from chat_messages where on_shared_path
    union all
    select session_id, 'conversations', day, 1 from spoken
    union all
    select session_id, 'conversation_milliseconds', day, milliseconds from spoken
    union all
    select id, 'divergences', utc_day(created_at), 1 from chat_sessions where cache_state = 'diverged'
  )
  select * from activity_counts(null, false)
  union all
  select measure, i.course_id, day, null, amount
  from said join chat_sessions as s on s.id = session_id join content_items as i on i.id = s.content_item_id
$$;
--> statement-breakpoint
-- Counts everything anew, for example what was loaded with the triggers switched off. Until it is done nothing that
-- is counted can be written, and what was deleted since it was counted is forgotten.
create or replace function recount_totals() returns void language plpgsql as $$
begin
  lock table users, enrollments, modules, user_module_progress, user_content_progress, quiz_attempts, lab_submissions,
    notes, flashcards, flashcard_reviews, discussion_threads, discussion_posts, course_reviews, activity_events,
    chat_sessions, chat_messages in share mode;
  perform lock_totals();
  delete from uncounted_courses;
  delete from course_trees;
  insert into uncounted_trees select distinct course_offering_id, user_id from user_module_progress;
  perform count_trees(null);
  delete from uncounted_events;
  delete from uncounted_messages;
  delete from uncounted_changes;
  delete from report_totals;
  insert into report_totals (measure, course_id, day, since, amount)
  select measure, course_id, day, since, sum(amount)
  from (select * from standing_counts() union all select * from happened_counts()) as counted
  group by grouping sets ((measure, course_id, day, since), (measure, day, since))
  having sum(amount) <> 0 and (course_id is not null or grouping(course_id) = 1);
end $$;
--> statement-breakpoint
create or replace function note_tree() returns trigger language plpgsql as $$
begin
  insert into uncounted_trees
  values (coalesce(new.course_offering_id, old.course_offering_id), coalesce(new.user_id, old.user_id));
  return null;
end $$;
--> statement-breakpoint
-- A module that is published, or goes, decides for everyone whether their tree is complete.
create or replace function note_outline() returns trigger language plpgsql as $$
begin
  if new.is_published is distinct from old.is_published then
    insert into uncounted_courses values (coalesce(new.course_id, old.course_id));
  end if;
  return null;
end $$;
--> statement-breakpoint
create or replace function note_end_of_course() returns trigger language plpgsql as $$
begin
  insert into uncounted_courses values (old.id);
  return null;
end $$;
--> statement-breakpoint
-- How a person stands with the published modules of an offering's course; no row before they have begun one. A tree
-- is touched by what is begun, by what is completed, and by any activity in the offering.
create or replace function tree_of(offering integer, person integer)
returns table (course_id integer, completed_on date, interrupted datemultirange) language sql stable as $$
  with walked as (
    select m.course_id, utc_day(p.started_at) as started_on,
           case when p.completed_at is not null then utc_day(greatest(p.started_at, p.completed_at)) end as done_on
    from user_module_progress as p
    join course_offerings as o on o.id = p.course_offering_id
    join modules as m on m.id = p.module_id and m.course_id = o.course_id and m.is_published
    where p.course_offering_id = offering and p.user_id = person
  ), tree as (
    select w.course_id, min(w.started_on) as begun_on,
           case when count(w.done_on) = (
             select count(*) from modules as m where m.course_id = w.course_id and m.is_published
           ) then max(w.done_on) end as completed_on
    from walked as w group by w.course_id
  ), touched (day) as (
    select started_on from walked
    union
    select done_on from walked where done_on is not null
    union
    select utc_day(e.occurred_at) from tree join activity_events as e on e.occurred_at >= utc_midnight(tree.begun_on)
    where e.course_offering_id = offering and e.user_id = person
  )
  select tree.course_id, tree.completed_on, coalesce((
    select range_agg(daterange(day + 14, next_day))
    from (select day, lead(day) over (order by day) as next_day from touched) as visit
    where (next_day > day + 14 or next_day is null) and (day < tree.completed_on or tree.completed_on is null)
  ), '{}')
  from tree
$$;
--> statement-breakpoint
-- All trees of a noted course are noted. What was counted of a course goes with it, also from the sums of all courses.
create or replace function count_courses() returns void language sql as $$
  with noted as (
    delete from uncounted_courses returning course_id
  ), walked as (
    insert into uncounted_trees
    select distinct p.course_offering_id, p.user_id
    from noted
    join course_offerings as o using (course_id)
    join user_module_progress as p on p.course_offering_id = o.id
  ), gone as (
    delete from report_totals as total using (select distinct course_id from noted) as course
    where total.course_id = course.course_id and not exists (select from courses where id = course.course_id)
    returning total.*
  )
  insert into uncounted_changes select measure, null, day, since, -amount from gone
$$;
--> statement-breakpoint
-- Looks at the first of the noted trees anew; what that changes is noted by the trigger of the trees.
create or replace function count_trees(most integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  counted integer;
begin
  with noted as (
    delete from uncounted_trees where ctid = any (array (select ctid from uncounted_trees limit most))
    returning course_offering_id, user_id
  ), looked_at as materialized (
    select walked.*, tree.*
    from (select distinct * from noted) as walked
    left join lateral tree_of(course_offering_id, user_id) as tree on true
  ), gone as (
    delete from course_trees as former using looked_at as l
    where former.course_offering_id = l.course_offering_id and former.user_id = l.user_id and l.course_id is null
  ), kept as (
    insert into course_trees as former (course_offering_id, user_id, course_id, completed_on, interrupted)
    select * from looked_at where course_id is not null
    on conflict (course_offering_id, user_id) do update
    set completed_on = excluded.completed_on, interrupted = excluded.interrupted
    where (former.completed_on, former.interrupted) is distinct from (excluded.completed_on, excluded.interrupted)
  )
  select count(*) into counted from noted;
  return counted;
end $$;
--> statement-breakpoint
-- Changes of the tree wait for each other, before they lock a row: two moves that make a cycle only together
-- meet one after the other, and a move that renumbers its subtree never meets one that holds a part of it.
create or replace function subjects_lock_tree() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock('subjects'::regclass::oid::int, 0);
  return null;
end $$;
--> statement-breakpoint
-- Each query in a function looks anew, so what others committed while this one waited for the lock is seen.
-- A parent that does not exist is left to the foreign key.
create or replace function subjects_take_place() returns trigger language plpgsql as $$
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
create or replace function subjects_take_subtree_along() returns trigger language plpgsql as $$
begin
  with recursive below as (
    select id, new.depth + 1 as depth from subjects where parent_subject_id = new.id
    union all
    select child.id, below.depth + 1
    from subjects as child join below on child.parent_subject_id = below.id
  )
  update subjects set depth = below.depth from below where subjects.id = below.id;
  return null;
end $$;
--> statement-breakpoint
create or replace trigger course_prerequisites_stay_acyclic
  before insert or update of course_id, prerequisite_course_id on course_prerequisites
  for each row execute function course_prerequisites_stay_acyclic();
--> statement-breakpoint
create or replace trigger course_offerings_fill_places after update of capacity on course_offerings
  for each row when (old.capacity is distinct from new.capacity)
  execute function course_offerings_fill_places();
--> statement-breakpoint
create or replace trigger enrollments_take_university before insert or update of course_offering_id on enrollments
  for each row execute function enrollments_take_university();
--> statement-breakpoint
create or replace trigger note_drop before insert or update of status on enrollments
  for each row when (new.status = 'dropped') execute function note_drop();
--> statement-breakpoint
create or replace trigger feature_requests_keep_totals_added after insert on feature_requests
  referencing new table as added
  for each statement execute function feature_requests_keep_totals();
--> statement-breakpoint
create or replace trigger feature_requests_keep_totals_changed after update on feature_requests
  referencing old table as removed new table as added
  for each statement execute function feature_requests_keep_totals();
--> statement-breakpoint
create or replace trigger feature_requests_keep_totals_removed after delete on feature_requests
  referencing old table as removed
  for each statement execute function feature_requests_keep_totals();
--> statement-breakpoint
create or replace trigger modules_take_place before insert or update of parent_module_id on modules
  for each row execute function modules_take_place();
--> statement-breakpoint
create or replace trigger modules_take_subtree_along after update of parent_module_id on modules
  for each row when (old.depth <> new.depth) execute function modules_take_subtree_along();
--> statement-breakpoint
create or replace trigger content_items_take_place before insert or update of module_id on content_items
  for each row execute function content_items_take_place();
--> statement-breakpoint
create or replace trigger courses_keep_popularity after insert or update of primary_subject_id on courses
  for each row execute function courses_keep_popularity();
--> statement-breakpoint
create or replace trigger course_subjects_keep_popularity after insert or delete on course_subjects
  for each row execute function course_subjects_keep_popularity();
--> statement-breakpoint
create or replace trigger enrollments_keep_popularity after insert or update of status or delete on enrollments
  for each row execute function enrollments_keep_popularity();
--> statement-breakpoint
create or replace trigger note_events after insert on activity_events referencing new table as added
  for each statement execute function note_events();
--> statement-breakpoint
create or replace trigger note_changes after insert or delete on users
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes
  after insert or update of status, dropped_at, course_offering_id or delete on enrollments
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes
  after insert or update of first_started_at, completed_at or delete on user_content_progress
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes after insert or update or delete on course_trees
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes
  after insert or update of submitted_at, passed, score_obtained, max_score or delete on quiz_attempts
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes
  after insert or update of submitted_at, status, score_obtained, max_score or delete on lab_submissions
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes after insert or delete on notes
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes after insert or delete on flashcards
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes after insert or delete on flashcard_reviews
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes after insert or delete on discussion_threads
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes after insert or update of is_deleted or delete on discussion_posts
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_changes after insert or update of rating or delete on course_reviews
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_messages after insert on chat_messages referencing new table as added
  for each statement execute function note_messages();
--> statement-breakpoint
create or replace trigger count_divergence after insert or update of cache_state on chat_sessions
  for each row when (new.cache_state = 'diverged') execute function count_divergence();
--> statement-breakpoint
create or replace trigger count_before_deletion before delete on activity_events
  for each statement execute function count_before_deletion();
--> statement-breakpoint
create or replace trigger count_before_deletion before delete on chat_messages
  for each statement execute function count_before_deletion();
--> statement-breakpoint
create or replace trigger count_before_deletion before delete on chat_sessions
  for each statement execute function count_before_deletion();
--> statement-breakpoint
create or replace trigger note_tree after insert or update of started_at, completed_at or delete on user_module_progress
  for each row execute function note_tree();
--> statement-breakpoint
create or replace trigger note_outline after insert or update of is_published or delete on modules
  for each row execute function note_outline();
--> statement-breakpoint
create or replace trigger note_end_of_course after delete on courses
  for each row execute function note_end_of_course();
--> statement-breakpoint
create or replace trigger subjects_lock_tree before insert or update of parent_subject_id on subjects
  for each statement execute function subjects_lock_tree();
--> statement-breakpoint
create or replace trigger subjects_take_place before insert or update of parent_subject_id on subjects
  for each row execute function subjects_take_place();
--> statement-breakpoint
create or replace trigger subjects_take_subtree_along after update of parent_subject_id on subjects
  for each row when (old.depth <> new.depth) execute function subjects_take_subtree_along();
--> statement-breakpoint
set local check_function_bodies = on;
