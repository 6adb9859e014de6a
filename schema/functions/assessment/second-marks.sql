-- Items with `second_mark` are graded by two people; neither sees the other's mark before giving their own.
-- Equal marks become the grade. Otherwise one of them, or an instructor, enters the agreed one. Work graded
-- before the setting keeps its grade.
--
-- Locks: the submission (submissions.sql), to mark or agree, then its marks.

create or replace function is_subject_to_double_marking(work lab_submissions) returns boolean language sql stable as $$
  select exists (select from content_items where id = work.content_item_id and data_json -> 'second_mark' = 'true')
    and (work.status = 'submitted' or exists (select from submission_marks where submission_id = work.id))
$$;

-- `{"given", "is_own_given", "shown"}`: the reader's own mark, and both after both are given. Null if it takes none
-- and has none. Not stable: a marker receives what the same statement wrote.
create or replace function visible_marks_of_submission(work lab_submissions, reader integer) returns jsonb language plpgsql as $$
begin
  return (
    select case when count(mark.id) > 0 or is_subject_to_double_marking(work) then jsonb_build_object(
      'given', count(mark.id), 'is_own_given', coalesce(bool_or(mark.grader_id = reader), false),
      'shown', coalesce(jsonb_agg(jsonb_build_object(
        'grader_id', mark.grader_id, 'score', mark.score, 'rubric', mark.rubric, 'feedback', mark.feedback,
        'marked_at', format_api_timestamp(mark.marked_at)) order by mark.place)
        filter (where mark.grader_id = reader or mark.in_all = 2), '[]')) end
    from (
      select one.*, count(*) over () as in_all from submission_marks as one where one.submission_id = work.id
    ) as mark);
end $$;
