-- Note search uses the note's language, post search the course's.

-- The PostgreSQL search configuration (stemming, stop words) of a language (`es`, `pt-BR`), or a plain one.
create or replace function text_search_configuration_of_language(language text) returns regconfig language sql stable as $$
  select coalesce((
    select name from (values
      ('ar', 'arabic'), ('ca', 'catalan'), ('da', 'danish'), ('de', 'german'), ('el', 'greek'), ('en', 'english'),
      ('es', 'spanish'), ('eu', 'basque'), ('fi', 'finnish'), ('fr', 'french'), ('ga', 'irish'), ('hi', 'hindi'),
      ('hu', 'hungarian'), ('hy', 'armenian'), ('id', 'indonesian'), ('it', 'italian'), ('lt', 'lithuanian'),
      ('ne', 'nepali'), ('nl', 'dutch'), ('no', 'norwegian'), ('nb', 'norwegian'), ('nn', 'norwegian'),
      ('pt', 'portuguese'), ('ro', 'romanian'), ('ru', 'russian'), ('sr', 'serbian'), ('sv', 'swedish'),
      ('ta', 'tamil'), ('tr', 'turkish'), ('yi', 'yiddish')
    ) as known (code, name)
    where code = lower(split_part(language, '-', 1))
  ), 'simple')::regconfig
$$;

create or replace function set_note_or_post_search_vector() returns trigger language plpgsql as $$
declare
  language text;
begin
  if tg_table_name = 'notes' then
    language := new.language_code;
  else
    select course.language_code into language
    from discussion_threads as thread
    join course_offerings as run on run.id = thread.course_offering_id
    join courses as course on course.id = run.course_id
    where thread.id = new.thread_id;
  end if;
  new.search := to_tsvector(text_search_configuration_of_language(language), new.body);
  return new;
end $$;

create or replace trigger notes_take_search before insert or update of body, language_code on notes
  for each row execute function set_note_or_post_search_vector();

create or replace trigger posts_take_search before insert or update of body on discussion_posts
  for each row execute function set_note_or_post_search_vector();
