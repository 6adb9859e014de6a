-- Sends grades to an LMS's columns for the links of a bound course (AGS). Each grade change inserts a mark in its own
-- transaction; inserts do not block each other. The worker folds marks into one row per person and column, and sends
-- the due ones. It computes a score when it sends it.
--
-- Locks: none for a mark. The worker, one at a time, takes the grades of an offering (grades.sql) for a mark of
-- everyone, to wait for grading in progress, then the marks, then the rows of scores by link and person.

create or replace view lti_columns as
  select context.course_offering_id, context.platform_id, link.id as link_id, link.content_item_id
  from lti_contexts as context join lti_links as link on link.context_id = context.id
  where link.line_item_url is not null;

create or replace function enqueue_lti_score(offering integer, person integer, item integer) returns void
language sql as $$
  insert into lti_score_marks (course_offering_id, user_id, content_item_id)
  select offering, person, item where exists (select from lti_columns where course_offering_id = offering)
$$;

-- A release, a grading scheme, or a link's new column. Grades of one person set their own marks (completion.sql,
-- grades.sql, quiz-attempts.sql, submissions.sql).
create or replace function enqueue_lti_scores_after_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'grade_releases' then
    perform enqueue_lti_score(
      coalesce(new.course_offering_id, old.course_offering_id), null, coalesce(new.content_item_id, old.content_item_id));
  elsif tg_table_name = 'grading_schemes' then
    perform enqueue_lti_score(coalesce(new.course_offering_id, old.course_offering_id), null, null);
  elsif (new.line_item_url, new.content_item_id, new.module_id)
      is distinct from (old.line_item_url, old.content_item_id, old.module_id) then
    perform enqueue_lti_score(context.course_offering_id, null, new.content_item_id)
    from lti_contexts as context where context.id = new.context_id;
  end if;
  return null;
end $$;

create or replace trigger mark_lti_scores_of_offering after insert or delete on grade_releases
  for each row execute function enqueue_lti_scores_after_change();

create or replace trigger mark_lti_scores_of_offering after insert or update or delete on grading_schemes
  for each row execute function enqueue_lti_scores_after_change();

create or replace trigger mark_lti_scores_of_link after insert or update of line_item_url, content_item_id, module_id on lti_links
  for each row when (new.line_item_url is not null) execute function enqueue_lti_scores_after_change();

-- Linking a person sends their grades; unlinking stops it.
create or replace function sync_lti_scores_of_person() returns trigger language plpgsql as $$
begin
  if new.user_id is not distinct from old.user_id then return null; end if;
  if tg_op = 'UPDATE' then delete from lti_scores where person_id = new.id; end if;
  insert into lti_score_marks (course_offering_id, user_id)
  select distinct context.course_offering_id, new.user_id
  from lti_contexts as context
  join enrollments as seat on seat.course_offering_id = context.course_offering_id and seat.user_id = new.user_id
  where context.platform_id = new.platform_id
    and exists (select from lti_columns as one where one.course_offering_id = context.course_offering_id);
  return null;
end $$;

create or replace trigger sync_lti_scores_of_person after insert or update of user_id on lti_people
  for each row execute function sync_lti_scores_of_person();

-- Folds `most` marks of one person each into rows; without any, one mark of everyone, for `most` people. The newest
-- mark of a waiting row counts. Returns whether there may be more.
create or replace function schedule_lti_scores_of_queued_changes(most integer, moment timestamptz) returns boolean language plpgsql as $$
declare
  mark lti_score_marks;
  people integer[];
  has_folded boolean := false;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('marks of scores for LMSs', 0)) then return false; end if;
  for mark in
    with folded as (
      delete from lti_score_marks
      where id in (select id from lti_score_marks where user_id is not null order by id limit most)
      returning *
    ), of_people as (
      select distinct on (course_offering_id, user_id, content_item_id) * from folded
      order by course_offering_id, user_id, content_item_id, is_forced desc
    )
    select * from of_people
    union all
    (select * from lti_score_marks where user_id is null and not exists (select from folded) order by id limit 1)
  loop
    if mark.user_id is not null then
      people := array(select person.id from lti_people as person where person.user_id = mark.user_id);
    else
      perform lock_offering_grades(mark.course_offering_id);
      people := array(
        select distinct person.id
        from lti_contexts as context
        join lti_people as person on person.platform_id = context.platform_id and person.id > mark.after_person_id
        join enrollments as seat on seat.course_offering_id = context.course_offering_id and seat.user_id = person.user_id
          and seat.is_admitted
        where context.course_offering_id = mark.course_offering_id
        order by person.id limit most);
    end if;
    insert into lti_scores as one (link_id, person_id, due_at, waits_since)
    select wanted.link_id, person.id, moment, moment
    from lti_columns as wanted
    join lti_people as person on person.platform_id = wanted.platform_id and person.id = any (people)
    where wanted.course_offering_id = mark.course_offering_id and person.user_id is not null
      and (mark.content_item_id is null or wanted.content_item_id is null or wanted.content_item_id = mark.content_item_id)
    order by wanted.link_id, person.id
    on conflict (link_id, person_id) do update
      set marks = one.marks + 1, due_at = excluded.due_at, waits_since = excluded.waits_since, tries = 0,
          is_refused = false, failure = null, sent_at = case when mark.is_forced then null else one.sent_at end;
    if mark.user_id is null and cardinality(people) < most then
      delete from lti_score_marks where id = mark.id;
    elsif mark.user_id is null then
      update lti_score_marks set after_person_id = people[most] where id = mark.id;
    end if;
    has_folded := true;
  end loop;
  return has_folded;
end $$;
