set local check_function_bodies = off;
--> statement-breakpoint
-- Which of these items are dropped: at most so many, and never the last with points. Dropped are those without which the
-- others are worth the largest part of their points, which need not be the lowest scores. Items without points are extra
-- credit: they are neither dropped nor counted among those that stay. The method is that of Daniel Kane and Jonathan Kane,
-- "Dropping Lowest Grades": drop what is least above the part that the others are worth, until that part grows no more.
create or replace function dropped_items(items integer[], scores numeric[], points numeric[], most integer)
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
--> statement-breakpoint
-- What follows for the course, in percent: of what is graded so far, and with nothing for what is not. A group is worth
-- the part of its points that was earned, and groups count by their weights, those in which something counts. A group
-- whose items have no points adds each of its extra points as a percent.
create or replace function grade_totals(
  offering integer, people integer[], released_alone boolean, named_alone boolean
)
returns table (user_id integer, current_percent numeric, final_percent numeric)
language sql stable as $$
  with grouped as (
    select cell.user_id, weight,
           sum(score) filter (where not dropped_so_far)
             / nullif(sum(max_points) filter (where score is not null and not dropped_so_far), 0) as so_far,
           coalesce(sum(score) filter (where not dropped_in_all), 0)
             / nullif(sum(max_points) filter (where state <> 'excused' and not dropped_in_all), 0) as in_all,
           case when coalesce(sum(max_points) filter (where state <> 'excused'), 0) = 0
             then coalesce(sum(score), 0) / 100 else 0 end as extra
    from counted_cells(offering, people, released_alone, named_alone) as cell
    where weight is not null group by cell.user_id, group_name, weight
  ), total as (
    select grouped.user_id,
           sum(weight * so_far) / nullif(sum(weight) filter (where so_far is not null), 0) + sum(extra) as so_far,
           sum(weight * in_all) / nullif(sum(weight) filter (where in_all is not null), 0) + sum(extra) as in_all
    from grouped group by grouped.user_id
  )
  select person.id, clamped(round(total.so_far * 100, 2), 0, 9999.99), clamped(round(total.in_all * 100, 2), 0, 9999.99)
  from unnest(people) as person (id)
  left join total on total.user_id = person.id
$$;
--> statement-breakpoint
set local check_function_bodies = on;
