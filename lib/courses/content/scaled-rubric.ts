import { type SQL, sql } from "drizzle-orm";

/** Scales the rubric if only the points differ from `former`. */
export const itemDataWithScaledRubricSql = (data: object, former: SQL, contentType: string): SQL => sql`(
  select case when present.data -> 'rubric' = ${former} -> 'rubric' and points.former > 0 and points.present <> points.former
    then jsonb_set(present.data, '{rubric,criteria}', (
      select jsonb_agg(criterion || jsonb_build_object('levels', (
        select jsonb_agg(level || jsonb_build_object('points', round((level ->> 'points')::numeric
          / points.former * points.present, 2)) order by number)
        from jsonb_array_elements(criterion -> 'levels') with ordinality as part (level, number))) order by place)
      from jsonb_array_elements(present.data #> '{rubric,criteria}') with ordinality as listed (criterion, place)))
    else present.data end
  from (select ${JSON.stringify(data)}::jsonb as data) as present
  cross join lateral (
    select max_points_of_item(${contentType}, ${former}) as former, max_points_of_item(${contentType}, present.data) as present
  ) as points)`;
