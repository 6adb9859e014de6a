-- The part of people's grades that counts for the course, after late deductions and dropped lowest scores.
--
-- Locks: none, read only.

-- The deduction per day (null for none) and the days that late work is accepted (null for no end). The item's rule
-- precedes the offering's.
create or replace function effective_late_penalty_rule(offering integer, data jsonb)
returns table (percent_per_day numeric, most_days integer) language sql stable as $$
  select coalesce(clamp(json_number(data -> 'late_percent_per_day'), 0, 100), own.late_percent_per_day),
         coalesce(clamp(json_number(data -> 'max_late_days'), 0, 365)::int, own.max_late_days)
  from (select) as one left join grading_schemes as own on own.course_offering_id = offering
$$;

-- Each day begun counts.
create or replace function late_days_of_submission(work lab_submissions) returns integer language sql immutable as $$
  select case when work.is_late and work.due_at is not null
    then greatest(ceil(extract(epoch from work.submitted_at - work.due_at) / 86400), 0)::int else 0 end
$$;

-- In percent of the item's points per day, at most the score.
create or replace function late_deduction(score numeric, points numeric, percent_per_day numeric, days integer)
returns numeric language sql immutable as $$
  select case when score > 0 and percent_per_day > 0 and days > 0
    then least(score, round(points * percent_per_day * days / 100, 2)) else 0 end
$$;

-- In points of its own grade; null if it has none.
create or replace function late_deduction_of_submission(work lab_submissions) returns numeric language sql stable as $$
  select case when work.score_obtained is null then null when late_days_of_submission(work) = 0 then 0 else (
    select late_deduction(work.score_obtained, work.max_score, rules.percent_per_day, late_days_of_submission(work))
    from content_items as item cross join lateral effective_late_penalty_rule(work.course_offering_id, item.data_json) as rules
    where item.id = work.content_item_id) end
$$;

-- At most `most` items, and never the last with points. The others then earn the largest part of their points.
-- Items without points are extra credit and not considered. Source: Daniel Kane and Jonathan Kane, "Dropping Lowest
-- Grades". Drops the items least above the current ratio until the ratio no longer grows.
create or replace function lowest_items_to_drop(items integer[], scores numeric[], points numeric[], most integer)
returns integer[] language plpgsql immutable as $$
declare
  dropped integer[] := '{}';
  chosen integer[];
  extra numeric;
  part numeric;
  better numeric;
begin
  select coalesce(sum(score) filter (where worth = 0), 0), coalesce(sum(score) / nullif(sum(worth), 0), 0),
         least(most, count(*) filter (where worth > 0) - 1)
  into extra, part, most
  from unnest(scores, points) as one (score, worth);
  if most <= 0 then return dropped; end if;
  loop
    select array_agg(item) filter (where place <= most),
           (extra + sum(score) filter (where place > most)) / nullif(sum(worth) filter (where place > most), 0)
    into chosen, better
    from (
      select one.*, row_number() over (order by score - part * worth, item) as place
      from unnest(items, scores, points) as one (item, score, worth)
      where worth > 0
    ) as ranked;
    if cardinality(dropped) = 0 or better > part then dropped := chosen; end if;
    exit when better is null or better <= part;
    part := better;
  end loop;
  return dropped;
end $$;

-- Cells (grades.sql) and what each counts for. `dropped_in_all` counts missing work as zero. Excused cells cannot
-- be dropped. `released_alone` keeps the grades that learners may see, `named_alone` excludes unreleased anonymous
-- grades.
create or replace function gradebook_cells_with_weights_and_drops(
  offering integer, people integer[], released_alone boolean, named_alone boolean
)
returns table (
  user_id integer, item_id integer, score numeric, state text, version integer, late_days integer,
  late_deduction numeric, max_points numeric, weight numeric, group_name text, dropped_so_far boolean,
  dropped_in_all boolean
) language sql stable rows 30000 set enable_nestloop = off as $$
  with cell as materialized (
    select one.*, item.max_points, item.weight, coalesce(item.group_name, '') as group_name, item.drop_lowest
    from gradebook_cells_of_people(offering, people) as one join gradebook_items_of_offering(offering) as item using (item_id)
    where (not released_alone or item.released) and not (named_alone and is_grading_anonymous(offering, item.item_id))
  ), dropped as materialized (
    select one.user_id,
           lowest_items_to_drop(one.graded, one.graded_scores, one.graded_points, one.drop_lowest) as so_far,
           lowest_items_to_drop(one.due, one.due_scores, one.due_points, one.drop_lowest) as in_all
    from (
      select cell.user_id, cell.drop_lowest,
             array_agg(cell.item_id order by cell.item_id) filter (where score is not null) as graded,
             array_agg(score order by cell.item_id) filter (where score is not null) as graded_scores,
             array_agg(cell.max_points order by cell.item_id) filter (where score is not null) as graded_points,
             array_agg(cell.item_id order by cell.item_id) filter (where state <> 'excused') as due,
             array_agg(coalesce(score, 0) order by cell.item_id) filter (where state <> 'excused') as due_scores,
             array_agg(cell.max_points order by cell.item_id) filter (where state <> 'excused') as due_points
      from cell where weight is not null and drop_lowest > 0
      group by cell.user_id, cell.group_name, cell.drop_lowest
    ) as one
  ), left_out as materialized (
    select dropped.user_id, one.item_id, true as is_left_out, 1 as kind
    from dropped cross join unnest(dropped.so_far) as one (item_id)
    union all
    select dropped.user_id, one.item_id, true, 2 from dropped cross join unnest(dropped.in_all) as one (item_id)
  )
  select cell.user_id, cell.item_id, cell.score, cell.state, cell.version, cell.late_days, cell.late_deduction,
         cell.max_points, cell.weight, cell.group_name, so_far.is_left_out is not null, in_all.is_left_out is not null
  from cell
  left join left_out as so_far
    on so_far.kind = 1 and so_far.user_id = cell.user_id and so_far.item_id = cell.item_id
  left join left_out as in_all
    on in_all.kind = 2 and in_all.user_id = cell.user_id and in_all.item_id = cell.item_id
$$;

-- The course percentage, of graded work only and with missing work as zero. A group is worth the part of its points
-- earned, and is left out for people without possible points. In a group of extra credit alone, each point adds one
-- percent, whatever is excused or not yet released.
create or replace function current_and_final_course_percents(
  offering integer, people integer[], released_alone boolean, named_alone boolean
)
returns table (user_id integer, current_percent numeric, final_percent numeric)
language sql stable as $$
  with extra_credit as materialized (
    select coalesce(item.group_name, '') as group_name from gradebook_items_of_offering(offering) as item
    where item.weight is not null group by 1 having sum(item.max_points) = 0
  ), grouped as (
    select cell.user_id, weight,
           sum(score) filter (where not dropped_so_far)
             / nullif(sum(max_points) filter (where score is not null and not dropped_so_far), 0) as so_far,
           coalesce(sum(score) filter (where not dropped_in_all), 0)
             / nullif(sum(max_points) filter (where state <> 'excused' and not dropped_in_all), 0) as in_all,
           case when group_name in (select one.group_name from extra_credit as one)
             then coalesce(sum(score), 0) / 100 else 0 end as extra
    from gradebook_cells_with_weights_and_drops(offering, people, released_alone, named_alone) as cell
    where weight is not null group by cell.user_id, group_name, weight
  ), total as (
    select grouped.user_id,
           sum(weight * so_far) / nullif(sum(weight) filter (where so_far is not null), 0) + sum(extra) as so_far,
           sum(weight * in_all) / nullif(sum(weight) filter (where in_all is not null), 0) + sum(extra) as in_all
    from grouped group by grouped.user_id
  )
  select person.id, clamp(round(total.so_far * 100, 2), 0, 9999.99), clamp(round(total.in_all * 100, 2), 0, 9999.99)
  from unnest(people) as person (id)
  left join total on total.user_id = person.id
$$;
