-- Sends grades to an LMS's columns for the links of a bound course (AGS). Each grade change inserts a mark in its own
-- transaction; inserts do not block each other. The worker folds marks into one row per person and column, and sends
-- the due ones. It computes a score when it sends it.
--
-- Locks: none for a mark. The worker, one at a time, takes the grades of an offering (grades.sql) for a mark of
-- everyone, to wait for grading in progress, then the marks, then the rows of scores by link and person.

create or replace function has_lti_columns(offering integer) returns boolean language sql stable as $$
  select exists (
    select from lti_contexts as context join lti_links as link on link.context_id = context.id
    where context.course_offering_id = offering and link.line_item_url is not null)
$$;

create or replace function mark_lti_score(offering integer, person integer, item integer) returns void
language sql as $$
  insert into lti_score_marks (course_offering_id, user_id, content_item_id)
  select offering, person, item where has_lti_columns(offering)
$$;

-- Marks the scores that a changed row affects: a release, a grading scheme, or a link's new column. Grades of one
-- person set their own marks (completion.sql, grades.sql, quiz-attempts.sql, submissions.sql).
create or replace function mark_lti_scores() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'grade_releases' then
    perform mark_lti_score(
      coalesce(new.course_offering_id, old.course_offering_id), null, coalesce(new.content_item_id, old.content_item_id));
  elsif tg_table_name = 'grading_schemes' then
    perform mark_lti_score(coalesce(new.course_offering_id, old.course_offering_id), null, null);
  elsif (new.line_item_url, new.content_item_id, new.module_id)
      is distinct from (old.line_item_url, old.content_item_id, old.module_id) then
    perform mark_lti_score(context.course_offering_id, null, new.content_item_id)
    from lti_contexts as context where context.id = new.context_id;
  end if;
  return null;
end $$;

create or replace trigger mark_lti_scores_of_offering after insert or delete on grade_releases
  for each row execute function mark_lti_scores();

create or replace trigger mark_lti_scores_of_offering after insert or update or delete on grading_schemes
  for each row execute function mark_lti_scores();

create or replace trigger mark_lti_scores_of_link after insert or update of line_item_url, content_item_id, module_id on lti_links
  for each row when (new.line_item_url is not null) execute function mark_lti_scores();

-- Linking a person sends their grades; unlinking stops it.
create or replace function follow_lti_person() returns trigger language plpgsql as $$
begin
  if new.user_id is not distinct from old.user_id then return null; end if;
  if tg_op = 'UPDATE' then delete from lti_scores where person_id = new.id; end if;
  insert into lti_score_marks (course_offering_id, user_id)
  select distinct context.course_offering_id, new.user_id
  from lti_contexts as context
  join enrollments as seat on seat.course_offering_id = context.course_offering_id and seat.user_id = new.user_id
  where context.platform_id = new.platform_id and has_lti_columns(context.course_offering_id);
  return null;
end $$;

create or replace trigger follow_lti_person after insert or update of user_id on lti_people
  for each row execute function follow_lti_person();

-- Makes rows for these people in the columns of a mark; the newest mark of a waiting row counts.
create or replace function want_lti_scores(
  offering integer, item integer, people integer[], forced boolean, moment timestamptz
) returns void language sql as $$
  insert into lti_scores as one (link_id, person_id, due_at, waits_since)
  select link.id, person.id, moment, moment
  from lti_contexts as context
  join lti_links as link on link.context_id = context.id and link.line_item_url is not null
  join lti_people as person on person.platform_id = context.platform_id and person.id = any (people)
  where context.course_offering_id = offering and person.user_id is not null
    and (item is null or link.content_item_id is null or link.content_item_id = item)
  order by link.id, person.id
  on conflict (link_id, person_id) do update
    set marks = one.marks + 1, due_at = excluded.due_at, waits_since = excluded.waits_since, tries = 0, is_refused = false,
        failure = null, sent_at = case when forced then null else one.sent_at end
$$;

-- Folds `most` marks of one person each into rows; without any, one mark of everyone, for `most` people. Returns
-- whether there are more.
create or replace function fold_lti_score_marks(most integer, moment timestamptz) returns boolean language plpgsql as $$
declare
  mark lti_score_marks;
  people integer[];
  folded integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('marks of scores for LMSs', 0)) then return false; end if;
  for mark in
    with folded as (
      delete from lti_score_marks
      where id in (select id from lti_score_marks where user_id is not null order by id limit most)
      returning *
    )
    select distinct on (course_offering_id, user_id, content_item_id) * from folded
    order by course_offering_id, user_id, content_item_id, is_forced desc
  loop
    perform want_lti_scores(mark.course_offering_id, mark.content_item_id, array(
      select person.id from lti_people as person where person.user_id = mark.user_id), mark.is_forced, moment);
    folded := folded + 1;
  end loop;
  if folded > 0 then return true; end if;

  select * into mark from lti_score_marks where user_id is null order by id limit 1;
  if not found then return false; end if;
  perform lock_grades(mark.course_offering_id);
  people := array(
    select distinct person.id
    from lti_contexts as context
    join lti_people as person on person.platform_id = context.platform_id and person.id > mark.after_person_id
    join enrollments as seat on seat.course_offering_id = context.course_offering_id and seat.user_id = person.user_id
      and seat.is_admitted
    where context.course_offering_id = mark.course_offering_id
    order by person.id limit most);
  perform want_lti_scores(mark.course_offering_id, mark.content_item_id, people, mark.is_forced, moment);
  if cardinality(people) < most then
    delete from lti_score_marks where id = mark.id;
  else
    update lti_score_marks set after_person_id = people[most] where id = mark.id;
  end if;
  return true;
end $$;

-- The scores of these people for a link's column, as they see them. For an item: its points, once released. For a
-- module: the percent of the points released and graded in it. For the course: the final grade, else the percent of
-- all released points. `score` is null without one and for excused people.
create or replace function lti_score_values(link lti_links, offering integer, people integer[])
returns table (user_id integer, score numeric, maximum numeric) language plpgsql stable as $$
#variable_conflict use_column
begin
  if link.content_item_id is not null then
    return query
      select cell.user_id, cell.score, item.max_points
      from graded_items(offering) as item
      join grade_cells(offering, people) as cell on cell.item_id = item.item_id
      where item.item_id = link.content_item_id and item.released;
  elsif link.module_id is not null then
    return query
      with recursive within (id) as (
        select link.module_id
        union
        select below.id from within cross join lateral (
          select one.id from modules as one where one.parent_module_id = within.id offset 0
        ) as below
      )
      select cell.user_id, round(sum(cell.score) / nullif(sum(item.max_points), 0) * 100, 2), 100::numeric
      from graded_items(offering) as item
      join content_items as content on content.id = item.item_id
        and content.module_id in (select within.id from within)
      join grade_cells(offering, people) as cell on cell.item_id = item.item_id and cell.score is not null
      where item.released
      group by cell.user_id;
  else
    return query
      select total.user_id, coalesce(final.final_score, total.current_percent), 100::numeric
      from grade_totals(offering, people, true, false) as total
      left join course_grades as final on final.course_offering_id = offering and final.user_id = total.user_id
        and final.graded_at is not null;
  end if;
end $$;

-- Leases up to `most` due scores for `seconds`, with the data to send. Counts a try of each, and stores a time later
-- than the last one. Skips platforms that are paused for now.
create or replace function lease_lti_scores(most integer, seconds integer, moment timestamptz)
returns table (
  link_id integer, person_id integer, marks integer, tries integer, told_at timestamptz, was_told boolean,
  is_same boolean, score numeric, maximum numeric, subject text, line_item_url text, platform_id integer, client_id text,
  auth_token_url text
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
    with next as (
      select one.link_id, one.person_id
      from lti_scores as one
      join lti_people as person on person.id = one.person_id
      where one.due_at <= moment and (one.lease_until is null or one.lease_until <= moment) and not exists (
        select from lti_service_pauses as pause where pause.platform_id = person.platform_id and pause.until > moment)
      order by one.due_at, one.link_id, one.person_id limit most for update of one skip locked
    ), leased as (
      update lti_scores as one
      set tries = one.tries + 1, lease_until = moment + make_interval(secs => seconds),
          told_at = greatest(moment, one.told_at + interval '1 second')
      from next, lti_scores as former
      where one.link_id = next.link_id and one.person_id = next.person_id
        and former.link_id = next.link_id and former.person_id = next.person_id
      returning one.*, former.told_at is not null as was_told
    ), asked as (
      select link.id, (select whole from lti_links as whole where whole.id = link.id) as link, context.course_offering_id,
             array_agg(person.user_id) filter (where person.user_id is not null) as people
      from leased
      join lti_links as link on link.id = leased.link_id
      join lti_contexts as context on context.id = link.context_id
      join lti_people as person on person.id = leased.person_id
      group by link.id, context.course_offering_id
    ), worth as (
      select asked.id, value.* from asked
      cross join lateral lti_score_values(asked.link, asked.course_offering_id, asked.people) as value
    )
    select leased.link_id, leased.person_id, leased.marks, leased.tries, leased.told_at, leased.was_told,
           leased.sent_at is not null and (leased.sent_score, case when leased.sent_score is not null then leased.sent_maximum end)
             is not distinct from (worth.score, case when worth.score is not null then worth.maximum end),
           worth.score, worth.maximum, person.subject::text, link.line_item_url::text, platform.id,
           platform.client_id::text, platform.auth_token_url::text
    from leased
    join lti_links as link on link.id = leased.link_id
    join lti_people as person on person.id = leased.person_id
    join lti_platforms as platform on platform.id = person.platform_id
    left join worth on worth.id = leased.link_id and worth.user_id = person.user_id
    order by platform.id, leased.link_id, leased.person_id;
end $$;

-- Stores the outcomes of leased scores: `[{"link_id", "person_id", "marks", "leased_at", "outcome", "score",
-- "maximum", "told_at", "failure", "due_at"}, …]`, where `leased_at` is the `told_at` of the lease. `outcome`:
-- 'sent'; 'same' (the LMS has it); 'none' (nothing to send); 'refused'; 'later' (retry at `due_at`); or 'kept' (not
-- tried). Ignores a lease that another followed. A score marked during the lease stays due: two statements, because
-- the second must see a mark that the first one waited for.
create or replace function end_lti_scores(given jsonb, moment timestamptz) returns void language plpgsql as $$
begin
  delete from lti_scores as one
  using jsonb_to_recordset(given) as done (
    link_id integer, person_id integer, marks integer, leased_at timestamptz, outcome text)
  where one.link_id = done.link_id and one.person_id = done.person_id and one.told_at = done.leased_at
    and one.lease_until is not null and one.marks = done.marks and done.outcome = 'none';
  update lti_scores as one
  set lease_until = null,
      tries = case when done.outcome = 'kept' then greatest(0, one.tries - 1) else one.tries end,
      told_at = coalesce(done.told_at, one.told_at),
      sent_at = case when done.outcome = 'sent' then moment else one.sent_at end,
      sent_score = case when done.outcome = 'sent' then done.score else one.sent_score end,
      sent_maximum = case when done.outcome = 'sent' then done.maximum else one.sent_maximum end,
      is_refused = done.outcome = 'refused' and one.marks = done.marks,
      failure = case when one.marks <> done.marks or done.outcome in ('sent', 'same') then null
                     else coalesce(done.failure, one.failure) end,
      due_at = case when one.marks <> done.marks then one.due_at
                    when done.outcome = 'later' then done.due_at
                    when done.outcome = 'kept' then one.due_at end
  from jsonb_to_recordset(given) as done (
    link_id integer, person_id integer, marks integer, leased_at timestamptz, outcome text, score numeric, maximum numeric,
    told_at timestamptz, failure text, due_at timestamptz)
  where one.link_id = done.link_id and one.person_id = done.person_id and one.told_at = done.leased_at
    and one.lease_until is not null;
end $$;

-- Gives up rows that waited for seven days, at most `most`: staff see the reason and may resend them. Returns how
-- many.
create or replace function give_up_lti_scores(most integer, moment timestamptz) returns integer language sql as $$
  with late as (
    select one.link_id, one.person_id, pause.failure
    from lti_scores as one
    join lti_people as person on person.id = one.person_id
    left join lti_service_pauses as pause on pause.platform_id = person.platform_id
    where one.due_at is not null and one.waits_since < moment - interval '7 days'
      and (one.lease_until is null or one.lease_until <= moment)
    order by one.due_at limit most for update of one skip locked
  ), ended as (
    update lti_scores as one
    set due_at = null, is_refused = true, failure = coalesce(one.failure, late.failure, 'it waited for seven days')
    from late where one.link_id = late.link_id and one.person_id = late.person_id returning 1
  )
  select count(*)::int from ended
$$;

-- The transfer states of these people's grades: `[{"content_item_id", "module_id", "state", "reason", "sent_at"}, …]`
-- for each with any. `state`: WAITS, also just after grading, REFUSED, or SENT.
create or replace function lti_score_states(offering integer, people integer[])
returns table (user_id integer, told json) language sql stable as $$
  select person.user_id, json_agg(json_build_object(
    'content_item_id', link.content_item_id, 'module_id', link.module_id,
    'state', case when standing.waits then 'WAITS' when score.is_refused then 'REFUSED' else 'SENT' end,
    'reason', case when standing.waits then coalesce(score.failure, pause.failure) else score.failure end,
    'sent_at', to_char(score.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by link.id)
  from lti_contexts as context
  join lti_links as link on link.context_id = context.id
  join lti_scores as score on score.link_id = link.id
  join lti_people as person on person.id = score.person_id and person.user_id = any (people)
  left join lti_service_pauses as pause on pause.platform_id = context.platform_id
  cross join lateral (
    select score.due_at is not null or exists (
      select from lti_score_marks as mark
      where mark.course_offering_id = offering and coalesce(mark.user_id, person.user_id) = person.user_id
        and (link.content_item_id is null or coalesce(mark.content_item_id, link.content_item_id) = link.content_item_id)
    ) as waits
  ) as standing
  where context.course_offering_id = offering and (standing.waits or score.is_refused or score.sent_at is not null)
  group by person.user_id
$$;
