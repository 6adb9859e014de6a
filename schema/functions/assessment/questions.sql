-- Stores the versions of questions: a change is a new version, and attempts keep the version that they drew.
--
-- Locks: the pool, by an import; the question, by being written.

create or replace function increment_question_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;

create or replace trigger questions_count_versions before update on questions
  for each row when (
    (old.kind, old.question_text, old.options_json, old.answer_json, old.explanation, old.points, old.scoring)
    is distinct from
    (new.kind, new.question_text, new.options_json, new.answer_json, new.explanation, new.points, new.scoring)
  ) execute function increment_question_version();

create or replace function store_question_version_and_picture_uses() returns trigger language plpgsql as $$
begin
  insert into question_versions
    (question_id, version, kind, question_text, options_json, answer_json, explanation, points, scoring)
  values
    (new.id, new.version, new.kind, new.question_text, new.options_json, new.answer_json, new.explanation, new.points,
     new.scoring)
  on conflict do nothing;
  -- Pictures stay in use for earlier versions. The writer checked that the files may be used.
  insert into file_uses (file_id, question_id)
  select distinct files.id, new.id
  from regexp_matches(
      concat_ws(' ', new.question_text, new.options_json::text, new.explanation), '\]\(file:([0-9]{1,15})\)', 'g') as named
  join files on files.id = named[1]::bigint and files.purpose = 'asset' and files.erased_at is null
    and files.university_id = (select university_id from question_pools where id = new.question_pool_id)
  where not exists (select from file_uses as used where used.file_id = files.id and used.question_id = new.id);
  return null;
end $$;

create or replace trigger store_question_version after insert or update on questions
  for each row execute function store_question_version_and_picture_uses();

-- `[{"kind", "question_text", "options_json", …}, …]`; `dry_run` only reports. Skips questions that the pool has.
-- Imports into one pool wait for each other.
create or replace function import_questions(pool integer, given jsonb, dry_run boolean)
returns table (question_id integer, is_new boolean) language plpgsql as $$
declare
  one record;
begin
  perform from question_pools where id = pool for no key update;
  for one in
    select asked.*
    from jsonb_array_elements(given) with ordinality as listed (value, number),
         jsonb_to_record(listed.value) as asked (
           kind text, question_text text, options_json jsonb, answer_json jsonb, explanation text, points numeric,
           scoring text, is_active boolean)
    order by listed.number
  loop
    select id into question_id from questions
    where question_pool_id = pool and kind = one.kind and question_text = one.question_text
      and options_json is not distinct from one.options_json and answer_json = one.answer_json
      and explanation is not distinct from one.explanation and points = one.points
      and scoring = coalesce(one.scoring, 'all_or_nothing')
    order by id limit 1;
    is_new := not found;
    if is_new and not dry_run then
      insert into questions
        (question_pool_id, kind, question_text, options_json, answer_json, explanation, points, scoring, is_active)
      values (pool, one.kind, one.question_text, one.options_json, one.answer_json, one.explanation, one.points,
              coalesce(one.scoring, 'all_or_nothing'), one.is_active)
      returning id into question_id;
    end if;
    return next;
  end loop;
end $$;
