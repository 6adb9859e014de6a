-- Embeddings of passages by a model (EMBEDDINGS_MODEL), used if the database has pgvector. They are stored as plain
-- arrays, which every database has. One function casts them to vectors; PostgreSQL resolves its body when it is
-- called. The extension is therefore detected at each call, and no migration depends on it. The schedule makes them,
-- never a turn.
--
-- Locks: passages, shared; then their vectors; then how far the model has come.

create or replace function has_vectors() returns boolean language sql stable as $$
  select to_regtype('vector') is not null
$$;

-- The passages of a course nearest in meaning, without regard to access. Empty if there is no vector to compare.
create or replace function rank_by_meaning(the_course integer, the_model text, asked real[], most integer)
returns table (id bigint, content_item_id integer, distance float8) rows 100 language plpgsql stable as $$
#variable_conflict use_column
begin
  if asked is null or not has_vectors() then return; end if;
  return query
  select passage.id, passage.content_item_id, told.vector::vector <=> asked::vector as distance
  from content_items as item join passages as passage on passage.content_item_id = item.id
  join passage_vectors as told on told.passage_id = passage.id
  where item.course_id = the_course and item.is_active and told.model = the_model
    and cardinality(told.vector) = cardinality(asked)
  order by distance, passage.id limit most;
end $$;

-- The next passages without a vector of the model: `{"up_to", "passages": [{"id", "university_id", "words"}]}`, null
-- when all were checked. Universities alternate among the next 2000 passages. Passages of `passed_over` universities
-- are left for later, and all passages before the first of them were checked. `refused`: passages that the model
-- rejected. Once a day all are checked again, for late and refused ones.
create or replace function passages_without_vector(
  the_model text, moment timestamptz, most integer, passed_over integer[], refused bigint[]
) returns jsonb language sql stable as $$
  with next as materialized (
    select passage.id from passages as passage
    where passage.id > coalesce((
      select done_to from passage_vector_sweeps where model = the_model and begun_at > moment - interval '1 day'), 0)
    order by passage.id limit 2000
  ), missing as materialized (
    select next.id, item.university_id, item.title || E'\n' || passage.body as words,
           row_number() over (partition by item.university_id order by next.id) as turn
    from next join passages as passage on passage.id = next.id
    join content_items as item on item.id = passage.content_item_id
    where not exists (select from passage_vectors as told where told.passage_id = next.id and told.model = the_model)
      and next.id <> all (refused)
  ), taken as materialized (
    select * from missing where university_id <> all (passed_over) order by turn, id limit most
  )
  select jsonb_build_object(
    'up_to', coalesce(
      (select min(missing.id) - 1 from missing left join taken on taken.id = missing.id where taken.id is null),
      (select max(id) from next)),
    'passages', (
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'university_id', university_id, 'words', words) order by id), '[]')
      from taken))
  where exists (select from next)
$$;

-- Stores vectors, `[{"id", "vector"}]`, of passages that still exist, and the id up to which all were checked.
create or replace function keep_passage_vectors(the_model text, moment timestamptz, up_to bigint, vectors jsonb)
returns void language plpgsql as $$
begin
  insert into passage_vectors (passage_id, model, vector)
  select passage.id, the_model, one.vector
  from (select id from passages where id in (select (told ->> 'id')::bigint from jsonb_array_elements(vectors) as told)
        order by id for key share) as passage
  join jsonb_to_recordset(vectors) as one (id bigint, vector real[]) on one.id = passage.id
  on conflict (passage_id) do update set model = excluded.model, vector = excluded.vector;
  insert into passage_vector_sweeps as sweep (model, done_to, begun_at) values (the_model, up_to, moment)
  on conflict (model) do update set done_to = excluded.done_to,
    begun_at = case when sweep.begun_at > moment - interval '1 day' then sweep.begun_at else excluded.begun_at end;
end $$;
