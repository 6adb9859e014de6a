-- Rubrics: grading criteria with levels that have points and words. An item's data has the `rubric`; a grade
-- keeps a copy of its chosen levels, so a later change of the rubric does not affect it.
--
-- Locks: none; grading locks the submission (submissions.sql), and a change of an item locks its scores
-- (grades.sql).

create or replace function rescaled_rubric_level_choices(levels jsonb, factor numeric) returns jsonb language sql immutable as $$
  select jsonb_agg(one || jsonb_build_object(
    'points', round((one ->> 'points')::numeric * factor, 2), 'most', round((one ->> 'most')::numeric * factor, 2))
    order by place)
  from jsonb_array_elements(levels) with ordinality as listed (one, place)
$$;
