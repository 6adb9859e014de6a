set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "passage_measures" (
	"course_id" integer PRIMARY KEY NOT NULL,
	"asked" integer DEFAULT 0 NOT NULL,
	"found" integer DEFAULT 0 NOT NULL,
	"measured_at" timestamp (3) with time zone,
	"looked_at" timestamp (3) with time zone NOT NULL,
	"hangs_on" text,
	"last_question_id" integer,
	"asked_so_far" integer DEFAULT 0 NOT NULL,
	"found_so_far" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "message_sources" ADD COLUMN "perhaps" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "passage_measures" ADD CONSTRAINT "passage_measures_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "passage_measures_looked_at_course_id_index" ON "passage_measures" USING btree ("looked_at","course_id");
--> statement-breakpoint
CREATE INDEX "passage_measures_waiting_index" ON "passage_measures" USING btree ("looked_at","course_id") WHERE "passage_measures"."last_question_id" is not null;
--> statement-breakpoint
-- The questions that a course's quizzes draw from, each once however many draw it, and the modules in which they are asked;
-- of a module that tells nothing no passage could be right.
create or replace function asked_in_course(the_course integer)
returns table (id integer, version integer, question_text text, modules integer[]) language sql stable as $$
  select asked.id, asked.version, asked.question_text, pool.modules
  from (
    select pool_of_quiz(quiz.data_json) as id, array_agg(distinct quiz.module_id) as modules
    from content_items as quiz join content_types as type on type.id = quiz.content_type_id and type.name = 'quiz'
    where quiz.course_id = the_course and quiz.is_active and pool_of_quiz(quiz.data_json) is not null and exists (
      select from content_items as item join passages as told on told.content_item_id = item.id
      where item.module_id = quiz.module_id and item.is_active)
    group by 1
  ) as pool join questions as asked on asked.question_pool_id = pool.id and asked.is_active
$$;
--> statement-breakpoint
-- Whether a course's passages are offered as what helps perhaps: fewer than 60 % of its questions find a right one among
-- five, or there are fewer than 20, which tell too little.
create or replace function helps_perhaps(the_course integer) returns boolean language sql stable as $$
  select not exists (
    select from passage_measures where course_id = the_course and asked >= 20 and found >= 0.6 * asked)
$$;
--> statement-breakpoint
-- Looks at courses that nobody has looked at for a day, at most `most`, and begins to measure those that tell or ask
-- something else than when they were measured, or were a month ago. Answers whether there may be more.
create or replace function look_at_measures(moment timestamptz, most integer) returns boolean language plpgsql as $$
declare
  looked integer;
begin
  insert into passage_measures (course_id, looked_at)
  select id, to_timestamp(0) from courses
  where not exists (select from passage_measures where course_id = courses.id) order by id limit most
  on conflict do nothing;
  with next as materialized (
    select course_id from passage_measures where looked_at < moment - interval '1 day'
    order by looked_at, course_id limit most for no key update skip locked
  ), current as materialized (
    select course_id, measured_by(course_id) as hangs_on from next
  )
  update passage_measures as mine set
    looked_at = moment, hangs_on = current.hangs_on,
    (last_question_id, asked_so_far, found_so_far) = (
      select case when is_due then 0 else mine.last_question_id end,
             case when is_due then 0 else mine.asked_so_far end,
             case when is_due then 0 else mine.found_so_far end
      from (select mine.hangs_on is distinct from current.hangs_on
                   or coalesce(mine.measured_at < moment - interval '30 days', false) as is_due) as one)
  from current where mine.course_id = current.course_id;
  get diagnostics looked = row_count;
  return looked = most;
end $$;
--> statement-breakpoint
-- Measures a course that waits for it, by at most `most` of its questions. Answers whether there may be more to do. What
-- was measured before holds until all of them are through.
create or replace function measure_passages(moment timestamptz, most integer) returns boolean language plpgsql as $$
declare
  mine passage_measures;
  step record;
begin
  select * into mine from passage_measures where last_question_id is not null
  order by looked_at, course_id limit 1 for no key update skip locked;
  if not found then return false; end if;
  select count(*) as asked, max(next.id) as last, count(*) filter (where exists (
      select from rank_passages(mine.course_id, next.question_text, 5) as hit
      join content_items as item on item.id = hit.content_item_id where item.module_id = any (next.modules))) as found
  into step from (
    select * from asked_in_course(mine.course_id) where id > mine.last_question_id order by id limit most
  ) as next;
  mine.asked_so_far := mine.asked_so_far + step.asked;
  mine.found_so_far := mine.found_so_far + step.found;
  if step.asked = most then
    update passage_measures
    set last_question_id = step.last, asked_so_far = mine.asked_so_far, found_so_far = mine.found_so_far
    where course_id = mine.course_id;
  else
    update passage_measures
    set last_question_id = null, asked_so_far = 0, found_so_far = 0,
        asked = mine.asked_so_far, found = mine.found_so_far, measured_at = moment
    where course_id = mine.course_id;
  end if;
  return true;
end $$;
--> statement-breakpoint
-- What a course's measure hangs on: its passages and where they stand, and its questions and where they are asked.
create or replace function measured_by(the_course integer) returns text language sql stable as $$
  select md5(concat_ws('; ',
    (select string_agg(concat_ws(' ', item.id, item.module_id, told.newest), ', ' order by item.id)
     from content_items as item cross join lateral (
       select max(passage.id) as newest from passages as passage where passage.content_item_id = item.id) as told
     where item.course_id = the_course and item.is_active and told.newest is not null),
    (select string_agg(concat_ws(' ', asked.id, asked.version, asked.modules), ', ' order by asked.id)
     from asked_in_course(the_course) as asked)))
$$;
--> statement-breakpoint
drop function offer_passages(bigint,integer,integer,timestamp with time zone,text,integer);
--> statement-breakpoint
-- Finds passages for an answer that is to be made for one person, and keeps what was offered, by which the answer's
-- citations are read, and whether they only help perhaps. Offered once, they stay those of the message.
create or replace function offer_passages(
  the_question bigint, the_course integer, person integer, moment timestamptz, words text, most integer
) returns table (number integer, title text, place jsonb, body text, perhaps boolean) language sql as $$
  with found as (
    select row_number() over (order by score desc)::integer as number, one.*, helps_perhaps(the_course) as perhaps
    from search_passages(the_course, person, moment, words, most) as one
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
-- The passages of a course that fit words best, whoever may open them: any of the words will do. The statistics are those of
-- the course.
create or replace function rank_passages(the_course integer, words text, most integer)
returns table (id bigint, content_item_id integer, score float8) rows 100
language plpgsql stable as $$
#variable_conflict use_column
declare
  asked text[];
  any_of tsquery;
begin
  select (tsvector_to_array(to_tsvector(search_configuration(course.language_code), left(words, 1000))))[1:24] into asked
  from courses as course where course.id = the_course;
  select string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery into any_of
  from unnest(asked) as word;
  if any_of is null then return; end if;
  return query
  with held as materialized (
    select one.id, one.content_item_id, one.length, one.search
    from content_items as item join passages as one on one.content_item_id = item.id
    where item.course_id = the_course and item.is_active
  ), sums as materialized (
    select count(*) as total, avg(held.length)::float8 as mean from held
  ), hit as materialized (
    select held.id, held.content_item_id, held.length, word.lexeme, cardinality(word.positions) as found
    -- Of a passage's words those that are asked for are marked, and kept alone: all of them would take thrice as long.
    from held cross join lateral unnest(ts_filter(setweight(held.search, 'A', asked), '{a}')) as word
    where held.search @@ any_of
  ), known as (
    select lexeme, count(*) as holding from hit group by lexeme
  )
  select hit.id, hit.content_item_id, sum(bm25(hit.found, hit.length, sums.mean, known.holding, sums.total)) as score
  from hit join known using (lexeme) cross join sums
  group by hit.id, hit.content_item_id order by score desc, hit.id limit most;
end $$;
--> statement-breakpoint
-- The passages of a course that fit words best, of what the person may open at that moment.
create or replace function search_passages(
  the_course integer, person integer, moment timestamptz, words text, most integer
) returns table (content_item_id integer, title text, place jsonb, body text, score float8)
language sql stable as $$
  with ranked as materialized (
    select * from rank_passages(the_course, words, 100)
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
