-- Work of items that say `second_mark` is graded by two people, neither of whom sees the other's mark before their own is
-- in. Where both are the same that is its grade, else it has none before either of them, or an instructor, says what they
-- agreed upon. What was graded before its item said so stays as it is.
--
-- Locks: the submission (submissions.sql), which whoever marks or agrees holds, then its marks.

create or replace function takes_two_marks(item integer) returns boolean language sql stable as $$
  select exists (select from content_items where id = item and data_json -> 'second_mark' = 'true')
$$;

-- Whether what is said of a submission is a mark or an agreement: not where it had its grade without any.
create or replace function is_marked_twice(work lab_submissions) returns boolean language sql stable as $$
  select takes_two_marks(work.content_item_id)
    and (work.status = 'submitted' or exists (select from submission_marks where submission_id = work.id))
$$;

-- The marks of a submission for one of its staff, `{"given", "is_own_given", "shown"}`: their own, and both once both are
-- in. Null where it takes none and has none. Not stable: whoever marks is answered what the same statement has written.
create or replace function marks_of(work lab_submissions, reader integer) returns jsonb language plpgsql as $$
begin
  return (
    select case when count(mark.id) > 0 or is_marked_twice(work) then jsonb_build_object(
      'given', count(mark.id), 'is_own_given', coalesce(bool_or(mark.grader_id = reader), false),
      'shown', coalesce(jsonb_agg(jsonb_build_object(
        'grader_id', mark.grader_id, 'score', mark.score, 'rubric', mark.rubric, 'feedback', mark.feedback,
        'marked_at', to_char(mark.marked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by mark.place)
        filter (where mark.grader_id = reader or mark.in_all = 2), '[]')) end
    from (
      select one.*, count(*) over () as in_all from submission_marks as one where one.submission_id = work.id
    ) as mark);
end $$;

-- Gives a submission, which the caller holds, someone's mark, over one that they have given while it is the only one.
-- Answers why not: 'two marks', which are there already.
create or replace function give_mark(
  the_submission bigint, grader integer, points numeric, levels jsonb, words text, moment timestamptz
) returns text language plpgsql as $$
declare
  given integer := (select count(*) from submission_marks where submission_id = the_submission);
begin
  if given = 2 then return 'two marks'; end if;
  insert into submission_marks (submission_id, place, grader_id, score, rubric, feedback, marked_at)
  values (the_submission, given + 1, grader, points, levels, words, moment)
  on conflict on constraint submission_marks_grader_unique do update
    set score = excluded.score, rubric = excluded.rubric, feedback = excluded.feedback, marked_at = excluded.marked_at;
  return null;
end $$;

-- What the two marks of a submission say alike, with the words of both; null where one is missing or they differ.
create or replace function equal_marks(
  the_submission bigint, out score numeric, out rubric jsonb, out feedback text
) language sql stable as $$
  select min(one.score), (array_agg(one.rubric order by one.place))[1],
         string_agg(nullif(one.feedback, ''), e'\n\n' order by one.place)
  from submission_marks as one where one.submission_id = the_submission
  having count(*) = 2 and min(one.score) = max(one.score)
    and count(one.rubric) in (0, 2) and count(distinct one.rubric) <= 1
$$;

-- Why someone may not say what two marks come to: 'marks missing', or 'not theirs' for who has given neither.
create or replace function refusal_to_agree(the_submission bigint, person integer, without_mark boolean) returns text
language sql stable as $$
  select case when count(*) < 2 then 'marks missing'
              when not without_mark and bool_or(grader_id = person) is not true then 'not theirs' end
  from submission_marks where submission_id = the_submission
$$;

-- Raises where work in these items has marks that are not agreed upon: grades are released when they are. Null: in any.
create or replace function refuse_release_before_agreement(offering integer, items integer[]) returns void
language plpgsql as $$
begin
  if exists (
    select from lab_submissions as work
    where work.course_offering_id = offering and (items is null or work.content_item_id = any (items))
      and work.status = 'submitted' and takes_two_marks(work.content_item_id)
      and exists (select from submission_marks where submission_id = work.id)
  ) then
    raise exception 'offering % has marks that are not agreed upon', offering
      using errcode = 'check_violation', table = 'grade_releases', constraint = 'grade_releases_after_agreement';
  end if;
end $$;

-- Has the marks of an item be worth that many times as much.
create or replace function scale_marks(item integer, factor numeric) returns void language sql as $$
  update submission_marks as one
  set score = round(one.score * factor, 2), rubric = scaled_levels(one.rubric, factor)
  from lab_submissions as work where work.id = one.submission_id and work.content_item_id = item
$$;
