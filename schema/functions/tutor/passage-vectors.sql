-- Embeddings of passages by a model (EMBEDDINGS_MODEL), used if the database has pgvector. They are stored as plain
-- arrays, which every database has. One function casts them to vectors; PostgreSQL resolves its body when it is
-- called. The extension is therefore detected at each call, and no migration depends on it. The schedule makes them,
-- never a turn.
--
-- Locks: passages, shared; then their vectors; then how far the model has come.

-- Without regard to access. Empty if there is no vector to compare.
create or replace function rank_passages_by_vector(the_course integer, the_model text, asked real[], most integer)
returns table (id bigint, content_item_id integer, distance float8) rows 100 language plpgsql stable as $$
#variable_conflict use_column
begin
  if asked is null or to_regtype('vector') is null then return; end if;
  return query
  select passage.id, passage.content_item_id, told.vector::vector <=> asked::vector as distance
  from content_items as item join passages as passage on passage.content_item_id = item.id
  join passage_vectors as told on told.passage_id = passage.id
  where item.course_id = the_course and item.is_active and told.model = the_model
    and cardinality(told.vector) = cardinality(asked)
  order by distance, passage.id limit most;
end $$;

-- `[{"id", "vector"}]` of passages that still exist, and the id up to which all were checked.
create or replace function store_passage_vectors(the_model text, moment timestamptz, up_to bigint, vectors jsonb)
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
