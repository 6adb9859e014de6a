-- Rubrics: grading criteria with levels that have points and words. An item's data has the `rubric`; a grade
-- keeps a copy of its chosen levels, so a later change of the rubric does not affect it.
--
-- Locks: none; grading locks the submission (submissions.sql), and a change of an item locks its scores
-- (grades.sql).

-- The copy of the chosen levels, `[{"criterion_id", "level_id", "comment"}, …]`, in rubric order:
-- `[{"criterion_id", "title", "level_id", "level", "description", "points", "most", "comment"}, …]`, and
-- their total points. `is_whole`: each criterion has one. `missing`: the index from 0 of the first that is
-- not in the rubric.
create or replace function chosen_levels(
  the_item integer, chosen jsonb, out missing integer, out is_whole boolean, out points numeric, out levels jsonb
) language sql stable as $$
  with criterion as (
    select one.place, one.said, one.said ->> 'id' as id,
           (select max((level ->> 'points')::numeric) from jsonb_array_elements(one.said -> 'levels') as level) as most
    from content_items as item
    cross join lateral jsonb_array_elements(case when jsonb_typeof(item.data_json #> '{rubric,criteria}') = 'array'
      then item.data_json #> '{rubric,criteria}' else '[]' end) with ordinality as one (said, place)
    where item.id = the_item
  ), choice as (
    select one.number, one.said ->> 'comment' as comment, criterion.place, criterion.said as criterion, criterion.most,
           (select level from jsonb_array_elements(criterion.said -> 'levels') as level
            where level ->> 'id' = one.said ->> 'level_id' limit 1) as level
    from jsonb_array_elements(chosen) with ordinality as one (said, number)
    left join criterion on criterion.id = one.said ->> 'criterion_id'
  )
  select (min(number) filter (where level is null) - 1)::int,
         count(level) > 0 and count(level) = (select count(*) from criterion),
         sum((level ->> 'points')::numeric),
         jsonb_agg(jsonb_build_object(
           'criterion_id', criterion -> 'id', 'title', criterion -> 'title', 'level_id', level -> 'id',
           'level', level -> 'title', 'description', level -> 'description', 'points', level -> 'points', 'most', most,
           'comment', comment) order by place) filter (where level is not null)
  from choice
$$;

create or replace function scaled_levels(levels jsonb, factor numeric) returns jsonb language sql immutable as $$
  select jsonb_agg(one || jsonb_build_object(
    'points', round((one ->> 'points')::numeric * factor, 2), 'most', round((one ->> 'most')::numeric * factor, 2))
    order by place)
  from jsonb_array_elements(levels) with ordinality as listed (one, place)
$$;

-- The item's data, with its rubric scaled if only the points differ from `former`. An edited rubric is
-- unchanged.
create or replace function with_scaled_rubric(data jsonb, former jsonb, content_type text) returns jsonb
language sql immutable as $$
  select case when data -> 'rubric' = former -> 'rubric' and points_of_item(content_type, former) > 0
      and points_of_item(content_type, data) <> points_of_item(content_type, former)
    then jsonb_set(data, '{rubric,criteria}', (
      select jsonb_agg(criterion || jsonb_build_object('levels', (
        select jsonb_agg(level || jsonb_build_object('points', round((level ->> 'points')::numeric
          / points_of_item(content_type, former) * points_of_item(content_type, data), 2)) order by number)
        from jsonb_array_elements(criterion -> 'levels') with ordinality as part (level, number))) order by place)
      from jsonb_array_elements(data #> '{rubric,criteria}') with ordinality as listed (criterion, place)))
    else data end
$$;
