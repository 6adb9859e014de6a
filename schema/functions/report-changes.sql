-- What reports count as it stands now, such as enrollments by status: a row that is written leaves the change that it
-- makes on a list, and waits for nobody. report-totals.sql adds up the list.
--
-- Locks: none, rows are only added.

-- What a row counts for, while it is there: as one of its table, where it is not said otherwise below.
create or replace function counts_of(one anyelement) returns setof uncounted_changes language sql stable as $$
  select pg_typeof(one)::text, null::integer, null::date, null::date, 1::numeric
$$;

create or replace function counts_of(one users) returns setof uncounted_changes language sql stable as $$
  select 'signups', null::integer, utc_day(one.created_at), null::date, 1::numeric
$$;

-- A completion on someone's own word counts for nothing: they are as they were before it.
create or replace function counts_of(one enrollments) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, day, null::date, 1::numeric
  from course_offerings as o
  cross join (values
    ('enrollments_' || case when one.completion_source = 'self' then 'active' else one.status end, null),
    ('drops', utc_day(one.dropped_at))
  ) as counted (measure, day)
  where o.id = one.course_offering_id and (measure <> 'drops' or day is not null)
$$;

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

create or replace function counts_of(one course_trees) returns setof uncounted_changes language sql stable as $$
  select 'trees_completed', one.course_id, one.completed_on, null::date, 1::numeric where one.completed_on is not null
  union all
  select 'trees_interrupted', one.course_id, day, null, amount
  from unnest(one.interrupted) as pause
  cross join lateral (values (lower(pause), 1), (upper(pause), -1)) as turn (day, amount)
  where day is not null
$$;

create or replace function counts_of(one quiz_attempts) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, utc_day(one.submitted_at), null::date, amount
  from course_offerings as o cross join (values
    ('quizzes_submitted', 1),
    ('quizzes_passed', one.passed::int),
    ('quizzes_failed', (not one.passed)::int),
    ('quizzes_scored', (one.score_obtained is not null and one.max_score <> 0)::int),
    ('quiz_scores', one.score_obtained / nullif(one.max_score, 0))
  ) as counted (measure, amount)
  where o.id = one.course_offering_id and one.submitted_at is not null and amount <> 0
$$;

create or replace function counts_of(one lab_submissions) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, utc_day(one.submitted_at), null::date, amount
  from course_offerings as o cross join (values
    ('labs_submitted', 1),
    ('labs_graded', (one.status = 'graded')::int),
    ('labs_scored', (one.score_obtained is not null and one.max_score <> 0)::int),
    ('lab_scores', one.score_obtained / nullif(one.max_score, 0))
  ) as counted (measure, amount)
  where o.id = one.course_offering_id and amount <> 0
$$;

-- One that is issued in place of another counts for nothing of its own.
create or replace function counts_of(one certificates) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, day, null::date, 1::numeric
  from course_offerings as o
  cross join (values
    ('certificates_issued', case when one.replaces_id is null then utc_day(one.issued_at) end),
    ('certificates_revoked', utc_day(one.revoked_at))
  ) as counted (measure, day)
  where o.id = one.course_offering_id and day is not null
$$;

create or replace function counts_of(one discussion_posts) returns setof uncounted_changes language sql stable as $$
  select 'discussion_posts', null::integer, null::date, null::date, 1::numeric where not one.is_deleted
$$;

create or replace function counts_of(one course_reviews) returns setof uncounted_changes language sql stable as $$
  select measure, null::integer, null::date, null::date, amount::numeric
  from (values ('course_reviews', 1), ('course_ratings', one.rating)) as counted (measure, amount)
$$;

-- Notes what a row that was written changes in the totals; nothing of what goes with an account that is erased.
create or replace function note_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into uncounted_changes select * from counts_of(new);
  elsif not is_erasing() then
    insert into uncounted_changes
    select measure, course_id, day, since, sum(amount)
    from (
      select * from counts_of(new) where tg_op = 'UPDATE'
      union all
      select measure, course_id, day, since, -amount from counts_of(old)
    ) as change
    group by measure, course_id, day, since having sum(amount) <> 0;
  end if;
  return null;
end $$;

create or replace trigger note_changes after insert or delete on users
  for each row execute function note_changes();
create or replace trigger note_changes after insert or delete on notes
  for each row execute function note_changes();
create or replace trigger note_changes after insert or delete on flashcards
  for each row execute function note_changes();
create or replace trigger note_changes after insert or delete on flashcard_reviews
  for each row execute function note_changes();
create or replace trigger note_changes after insert or delete on discussion_threads
  for each row execute function note_changes();
create or replace trigger note_changes after insert or update of is_deleted or delete on discussion_posts
  for each row execute function note_changes();
create or replace trigger note_changes after insert or update of rating or delete on course_reviews
  for each row execute function note_changes();
create or replace trigger note_changes after insert or update of revoked_at or delete on certificates
  for each row execute function note_changes();
create or replace trigger note_changes after insert or update or delete on course_trees
  for each row execute function note_changes();
create or replace trigger note_changes
  after insert or update of status, completion_source, dropped_at, course_offering_id or delete on enrollments
  for each row execute function note_changes();
create or replace trigger note_changes
  after insert or update of submitted_at, passed, score_obtained, max_score or delete on quiz_attempts
  for each row execute function note_changes();
create or replace trigger note_changes
  after insert or update of submitted_at, status, score_obtained, max_score or delete on lab_submissions
  for each row execute function note_changes();

-- Most posts of progress leave both days as they were: those note nothing.
create or replace trigger note_changes after insert or delete on user_content_progress
  for each row execute function note_changes();
create or replace trigger note_later_changes after update of first_started_at, completed_at on user_content_progress
  for each row when ((new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at))
  execute function note_changes();

-- What was said and where a conversation went stay counted.
create or replace trigger note_changes after insert on chat_messages
  for each row when (new.on_shared_path or new.meta ? 'joined') execute function note_changes();
create or replace trigger note_changes after insert or update of cache_state on chat_sessions
  for each row when (new.cache_state = 'diverged') execute function note_changes();
