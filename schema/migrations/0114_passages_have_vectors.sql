set local check_function_bodies = off;
--> statement-breakpoint
drop function offer_passages(bigint,integer,integer,timestamp with time zone,text,integer);
--> statement-breakpoint
drop function search_passages(integer,integer,timestamp with time zone,text,integer);
--> statement-breakpoint
CREATE TABLE "passage_vector_sweeps" (
	"model" varchar(255) PRIMARY KEY NOT NULL,
	"done_to" bigint NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passage_vectors" (
	"passage_id" bigint PRIMARY KEY NOT NULL,
	"model" varchar(255) NOT NULL,
	"vector" real[] NOT NULL
);
--> statement-breakpoint
ALTER TABLE "passage_vectors" ADD CONSTRAINT "passage_vectors_passage_id_passages_id_fk" FOREIGN KEY ("passage_id") REFERENCES "public"."passages"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- The same, where what is asked has a vector of that model, fused by rank with what its meaning is nearest to: reciprocal
-- rank fusion (Cormack, Clarke and Buettcher 2009, with k = 60). Without a vector the order is that of the words.
create or replace function find_passages(the_course integer, words text, the_model text, asked real[], most integer)
returns table (id bigint, content_item_id integer, score float8) rows 100 language sql stable as $$
  select id, content_item_id, sum(float8 '1' / (60 + rank)) as score
  from (
    select id, content_item_id, row_number() over (order by score desc, id) as rank
    from rank_passages(the_course, words, 100)
    union all
    select id, content_item_id, row_number() over (order by distance, id)
    from rank_by_meaning(the_course, the_model, asked, 100)
  ) as found
  group by id, content_item_id order by score desc, id limit most
$$;
--> statement-breakpoint
create or replace function has_vectors() returns boolean language sql stable as $$
  select to_regtype('vector') is not null
$$;
--> statement-breakpoint
-- Keeps vectors, `[{"id", "vector"}]`, of passages that are still there, and up to which all were looked at.
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
--> statement-breakpoint
-- Finds passages for an answer that is to be made for one person, and keeps what was offered, by which the answer's
-- citations are read, and whether they only help perhaps. Offered once, they stay those of the message.
create or replace function offer_passages(
  the_question bigint, the_course integer, person integer, moment timestamptz, words text, most integer,
  the_model text default null, asked real[] default null
) returns table (number integer, title text, place jsonb, body text, perhaps boolean) language sql as $$
  with found as (
    select row_number() over (order by score desc)::integer as number, one.*, helps_perhaps(the_course) as perhaps
    from search_passages(the_course, person, moment, words, most, the_model, asked) as one
  ), gone as (
    delete from message_sources as former
    where former.question_id = the_question and former.number > (select count(*) from found)
  ), offered as (
    insert into message_sources (question_id, number, content_item_id, place, perhaps)
    select the_question, number, content_item_id, place, perhaps from found
    on conflict (question_id, number) do update
      set content_item_id = excluded.content_item_id, place = excluded.place, perhaps = excluded.perhaps
  )
  select number, title, place, body, perhaps from found order by number
$$;
--> statement-breakpoint
-- The next passages that have no vector of the model: `{"up_to", "passages": [{"id", "university_id", "words"}]}`, null
-- where all have been looked at. Once a day all are looked at again, for those that came late or were refused.
create or replace function passages_without_vector(the_model text, moment timestamptz, most integer) returns jsonb
language sql stable as $$
  with next as materialized (
    select passage.id from passages as passage
    where passage.id > coalesce((
      select done_to from passage_vector_sweeps where model = the_model and begun_at > moment - interval '1 day'), 0)
    order by passage.id limit 2000
  ), missing as materialized (
    select next.id from next
    where not exists (select from passage_vectors as told where told.passage_id = next.id and told.model = the_model)
    order by next.id limit most
  )
  select jsonb_build_object(
    'up_to', (select max(id) from (
      select id from missing union all select id from next where (select count(*) from missing) < most) as looked_at),
    'passages', (
      select coalesce(jsonb_agg(jsonb_build_object('id', passage.id, 'university_id', item.university_id,
        'words', item.title || E'\n' || passage.body) order by passage.id), '[]')
      from missing join passages as passage on passage.id = missing.id
      join content_items as item on item.id = passage.content_item_id))
  where exists (select from next)
$$;
--> statement-breakpoint
-- The passages of a course whose meaning is nearest, whoever may open them. None where there is no vector to compare.
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
--> statement-breakpoint
-- The passages of a course that fit best, of what the person may open at that moment.
create or replace function search_passages(
  the_course integer, person integer, moment timestamptz, words text, most integer,
  the_model text default null, asked real[] default null
) returns table (content_item_id integer, title text, place jsonb, body text, score float8)
language sql stable as $$
  with ranked as materialized (
    select * from find_passages(the_course, words, the_model, asked, 100)
  ), open as materialized (
    select hit.id from (select distinct content_item_id as id from ranked) as hit
    where item_access(hit.id, person, moment) is null
  )
  select item.id, item.title::text, passage.place, passage.body, ranked.score
  from ranked join open on open.id = ranked.content_item_id
  join content_items as item on item.id = open.id join passages as passage on passage.id = ranked.id
  order by ranked.score desc, ranked.id limit most
$$;
--> statement-breakpoint
set local check_function_bodies = on;
