-- The end of an account. What is a person's own goes; what reports have summed up, and what the service has to answer
-- for, stays without the person; their words leave what is shared.
--
-- Locks: the courses and offerings whose places are freed; stored answers, answers in the making and sessions, in the
-- order of cache-tree.sql; the totals (report-days.sql); the person; their discussions
-- (discussions.sql); what else is erased.

-- The stored answers that only this person's words led to: what the tutor had not offered, and nobody else has said
-- there. Each visit of a node is counted, so that a visit which is not one of theirs is another's.
create or replace function nodes_of_own_words(person integer) returns setof integer language sql stable as $$
  with visited as (
    select m.cache_node_id as node_id, count(*) as times
    from chat_sessions as s join chat_messages as m on m.session_id = s.id
    where s.user_id = person and m.cache_node_id is not null
    group by m.cache_node_id
  )
  select n.id
  from visited join cache_nodes as n on n.id = visited.node_id
  left join cache_nodes as stood on stood.id = n.parent_id
  where n.message <> 'Start.' and not coalesce(stood.choices ? n.message, false)
    and n.visit_count + (select count(*) from cache_visits as v where v.node_id = n.id) <= visited.times
$$;

-- The class's answers in the making, and those that ended and are not stored, that may hold this person's words: made
-- from what goes, or for a message of theirs that nobody else waits for.
create or replace function answers_to_own_words(person integer, doomed integer[]) returns setof integer
language sql stable as $$
  select id from generations where node_id = any (doomed) or parent_id = any (doomed)
  union
  select g.id from chat_sessions as s join generations as g on g.content_item_id = s.content_item_id
  where s.user_id = person and g.question_id is null and g.state <> 'writing' and g.message <> 'Start.'
    and g.node_id is null
  union
  select g.id from chat_sessions as s join generations as g on g.id = s.answering_generation_id
  left join cache_nodes as stood on stood.id = g.parent_id
  where s.user_id = person and g.question_id is null and g.message <> 'Start.'
    and not coalesce(stood.choices ? g.message, false)
    and not exists (
      select from chat_sessions as other where other.answering_generation_id = g.id and other.user_id <> person
    )
$$;

-- Holds what goes of the shared answers, with all below it, and the person's sessions; answers those nodes.
create or replace function hold_own_words(person integer) returns integer[] language plpgsql as $$
declare
  doomed integer[] := array(select nodes_of_own_words(person));
begin
  perform from cache_nodes
  where id = any (doomed) or id in (select nodes_below(one) from unnest(doomed) as one)
  order by id for update;
  perform from generations where id in (select answers_to_own_words(person, doomed)) order by id for update;
  perform from chat_sessions where user_id = person order by id for update;
  -- Looked at anew, now that they say nothing more; what is just locked is being said by someone else too.
  return array(
    select id from cache_nodes where id in (select nodes_of_own_words(person)) for update skip locked);
end $$;

-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql.
create or replace function erase_account(person integer, version integer, keep_certificates boolean, request jsonb)
returns boolean language plpgsql as $$
declare
  own users;
  doomed integer[];
  left_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status = 'active' order by 1);
  -- Where they wait they may be given a place just now, and told so.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform keep_course(offering) from unnest(held_offerings) as offering;
  perform from course_offerings where id = any (held_offerings) order by id for no key update;
  doomed := hold_own_words(person);
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  if keep_certificates then perform leave_certificates(person); end if;
  perform keep_statistics(person);

  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform leave_discussions(person);
  delete from certificates where user_id = person;
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where actor_id = person or subject_id = person;
  delete from users where id = person;
  -- Their progress, as it went.
  delete from stale_trees where user_id = person;
  perform fill_places(offering, (request ->> 'at')::timestamptz) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
