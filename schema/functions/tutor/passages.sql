-- Passages: the texts of a course in parts short enough to find and cite. They are written with the item, never with
-- a turn of the tutor.
--
-- Locks: the item, then its passages.

-- Splits between words into parts of about `most` characters.
create or replace function split_text_into_passages(said text, most integer) returns table (number integer, body text)
language sql immutable as $$
  select part::integer, btrim(string_agg(word, '' order by at), E' \n\t')
  from (
    select word, at, (sum(length(word)) over (order by at) - length(word)) / most as part
    from (select found[1] as word, at from regexp_matches(said, '\S+\s*', 'g') with ordinality as one (found, at)) as words
  ) as told
  group by part order by part
$$;

-- From what learners see. Excludes quizzes and the data of free-form types.
create or replace function extract_passages_of_item(item content_items) returns table (place jsonb, body text)
language plpgsql stable as $$
declare
  type text := (select name from content_types where id = item.content_type_id);
  blocks jsonb := item.data_json -> 'blocks';
  segments jsonb := item.data_json #> '{transcript,segments}';
begin
  if type = 'quiz' then return; end if;
  if type in ('text', 'assignment') then
    -- Short text, such as a heading, joins the text after it.
    return query
      with told as (
        select at, nullif(btrim(case block ->> 'type'
            when 'math' then repeat('$', 2) || (block ->> 'latex') || repeat('$', 2)
            when 'image' then block ->> 'caption'
            when 'link_list' then (
              select string_agg(link ->> 'label', E'\n' order by number)
              from jsonb_path_query(block, 'lax $.items[*]') with ordinality as one (link, number))
            else case jsonb_typeof(block -> 'text') when 'string' then block ->> 'text' end
          end), '') as said
        from jsonb_array_elements(case jsonb_typeof(blocks) when 'array' then blocks else '[]' end)
          with ordinality as one (block, at)
        where jsonb_typeof(block) = 'object'
      ), gathered as (
        select at, said, count(*) filter (where length(said) >= 80) over (
          order by at rows between unbounded preceding and 1 preceding) as part
        from told where said is not null
      ), joined as (
        select min(at) as at, string_agg(said, E'\n\n' order by at) as said from gathered group by part
      )
      select jsonb_build_object('block', at), part.body
      from joined cross join lateral split_text_into_passages(said, 700) as part
      order by at, part.number;
  end if;
  if type = 'assignment' then
    return query
      select '{}'::jsonb, part.body
      from unnest(array['description', 'instructions']) with ordinality as key (name, at)
      cross join lateral split_text_into_passages(
        case jsonb_typeof(item.data_json -> key.name) when 'string' then item.data_json ->> key.name end, 700) as part
      order by key.at, part.number;
  end if;
  if type = 'video' then
    -- About 45 seconds of speech each.
    return query
      select jsonb_build_object('seconds', min(start)::integer), string_agg(said, ' ' order by at)
      from (
        select at, btrim(segment ->> 'text') as said, case jsonb_typeof(segment -> 'start')
          when 'number' then floor((segment ->> 'start')::numeric) else 0 end as start
        from jsonb_array_elements(case jsonb_typeof(segments) when 'array' then segments else '[]' end)
          with ordinality as one (segment, at)
        where jsonb_typeof(segment) = 'object' and jsonb_typeof(segment -> 'text') = 'string'
      ) as spoken
      where said <> '' group by floor(start / 45) order by min(at);
  end if;
  return query
    select jsonb_build_object('file', file.name), part.body
    from (
      select distinct on (one.id) one.id, one.name, told.content
      from file_uses as used join files as one on one.id = used.file_id and one.state = 'ready'
      join file_texts as told on told.object_id = one.object_id
      where used.content_item_id = item.id and not used.is_for_staff order by one.id
    ) as file cross join lateral split_text_into_passages(file.content, 700) as part
    order by file.id, part.number;
end $$;

create or replace function rewrite_passages_of_items(items integer[]) returns void language plpgsql as $$
begin
  if items = '{}' then return; end if;
  perform from content_items where id = any (items) order by id for no key update;
  delete from passages where content_item_id = any (items);
  insert into passages (content_item_id, number, place, body, search, length)
  select item.id, told.number, told.place, told.body, words.search,
         (select coalesce(sum(cardinality(positions)), 0) from unnest(words.search))
  from content_items as item join courses as course on course.id = item.course_id
  cross join lateral (
    select row_number() over () as number, one.place, one.body from extract_passages_of_item(item) as one where one.body <> ''
  ) as told
  cross join lateral (
    select to_tsvector(text_search_configuration_of_language(course.language_code), item.title || E'\n' || told.body) as search) as words
  where item.id = any (items);
end $$;

create or replace function rewrite_passages_after_source_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'content_items' then
    perform rewrite_passages_of_items(array[new.id]);
  elsif tg_table_name = 'courses' then
    perform rewrite_passages_of_items(array(select id from content_items where course_id = new.id));
  else
    perform rewrite_passages_of_items(array(
      select used.content_item_id from files as file join file_uses as used on used.file_id = file.id
      where file.object_id = new.object_id and used.content_item_id is not null));
  end if;
  return null;
end $$;

create or replace trigger content_items_write_passages after insert or update of title, data_json, content_type_id
  on content_items for each row execute function rewrite_passages_after_source_change();

create or replace trigger courses_write_passages after update of language_code on courses
  for each row when (old.language_code is distinct from new.language_code) execute function rewrite_passages_after_source_change();

create or replace trigger file_texts_write_passages after insert or update of content on file_texts
  for each row execute function rewrite_passages_after_source_change();

-- Okapi BM25 (Robertson and Zaragoza 2009, with k1 = 1.2 and b = 0.75). Passages are `mean` words long, and
-- `holding` of all `total` have the word. The weight of a word is that of Lucene, which is never below zero.
create or replace function bm25(found float8, length float8, mean float8, holding float8, total float8) returns float8
language sql immutable as $$
  select ln(float8 '1' + (total - holding + float8 '0.5') / (holding + float8 '0.5')) * found * float8 '2.2'
         / (found + float8 '0.3' + float8 '0.9' * length / mean)
$$;

-- Finds by words or, if the query has a vector of that model, by meaning, without regard to access. Each list has
-- at most 100, joined by reciprocal rank fusion (Cormack, Clarke and Buettcher 2009, with k = 60).
create or replace function find_passages_ignoring_access(the_course integer, words text, the_model text, asked real[], most integer)
returns table (id bigint, content_item_id integer, score float8) rows 100 language plpgsql stable as $$
#variable_conflict use_column
declare
  wanted text[];
  any_of tsquery;
begin
  select (tsvector_to_array(to_tsvector(text_search_configuration_of_language(course.language_code), left(words, 1000))))[1:24]
  into wanted from courses as course where course.id = the_course;
  select string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery into any_of
  from unnest(wanted) as word;
  return query
  with held as materialized (
    select one.id, one.content_item_id, one.length, one.search
    from content_items as item join passages as one on one.content_item_id = item.id
    where item.course_id = the_course and item.is_active and any_of is not null
  ), sums as materialized (
    select count(*) as total, avg(held.length)::float8 as mean from held
  ), hit as materialized (
    select held.id, held.content_item_id, held.length, word.lexeme, cardinality(word.positions) as found
    -- Marks the asked words and keeps only those: unnesting all words would take three times as long.
    from held cross join lateral unnest(ts_filter(setweight(held.search, 'A', wanted), '{a}')) as word
    where held.search @@ any_of
  ), known as (
    select lexeme, count(*) as holding from hit group by lexeme
  ), by_words as (
    select hit.id, hit.content_item_id, row_number() over (order by
      sum(bm25(hit.found, hit.length, sums.mean, known.holding, sums.total)) desc, hit.id) as rank
    from hit join known using (lexeme) cross join sums
    group by hit.id, hit.content_item_id order by rank limit 100
  )
  select listed.id, listed.content_item_id, sum(float8 '1' / (60 + rank)) as score
  from (
    select * from by_words
    union all
    select id, content_item_id, row_number() over (order by distance, id)
    from rank_passages_by_vector(the_course, the_model, asked, 100)
  ) as listed
  group by listed.id, listed.content_item_id order by score desc, listed.id limit most;
end $$;

-- The best passages that the user may open, stored for reading the answer's citations. A message keeps its first
-- offer. They are only `perhaps` helpful if under 60 % of the course's measured questions find a right passage
-- among five, or there are under 20 questions.
create or replace function select_and_store_passages_for_question(
  the_question bigint, the_course integer, person integer, moment timestamptz, words text, most integer,
  the_model text default null, asked real[] default null
) returns table (number integer, title text, place jsonb, body text, perhaps boolean) language sql as $$
  with ranked as materialized (
    select * from find_passages_ignoring_access(the_course, words, the_model, asked, 100)
  ), open as materialized (
    select hit.id from (select distinct content_item_id as id from ranked) as hit
    where item_access_refusal(hit.id, person, moment) is null
  ), found as (
    select row_number() over (order by ranked.score desc, ranked.id)::integer as number, item.id as content_item_id,
           item.title::text, passage.place, passage.body, not exists (
             select from passage_measures as measured
             where measured.course_id = the_course and measured.asked >= 20 and found >= 0.6 * measured.asked) as perhaps
    from ranked join open on open.id = ranked.content_item_id
    join content_items as item on item.id = open.id join passages as passage on passage.id = ranked.id
    order by ranked.score desc, ranked.id limit most
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
