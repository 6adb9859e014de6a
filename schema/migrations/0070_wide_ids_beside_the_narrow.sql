-- in steps
-- Ids of what grows by the event, and all that refers to them, get 64 bits. New columns are filled beside the old ones, a
-- few rows at a time, while a trigger fills those of rows that are written meanwhile; their indexes are made beside the old
-- ones. The next migration puts them in their places. It may stop anywhere, and goes on there.
set statement_timeout = 0;
--> statement-breakpoint
-- Who has to wait for a table does not let others wait behind them, and comes again.
set lock_timeout = '500ms';
--> statement-breakpoint
create schema if not exists widening;
--> statement-breakpoint
create table if not exists widening.columns (table_name text, column_name text, primary key (table_name, column_name));
--> statement-breakpoint
insert into widening.columns (table_name, column_name) values
  ('activity_events', 'object_id'), ('cache_nodes', 'id'), ('cache_nodes', 'parent_id'), ('cache_visits', 'node_id'),
  ('chat_messages', 'id'), ('chat_messages', 'session_id'), ('chat_messages', 'in_reply_to_id'),
  ('chat_messages', 'cache_node_id'), ('chat_sessions', 'id'), ('chat_sessions', 'cache_node_id'),
  ('chat_sessions', 'answering_message_id'), ('chat_sessions', 'answering_generation_id'),
  ('course_reviews', 'id'), ('discussion_posts', 'id'), ('discussion_posts', 'parent_post_id'),
  ('discussion_reports', 'post_id'), ('discussion_reports', 'review_id'), ('discussion_threads', 'answer_post_id'),
  ('flashcard_reviews', 'id'), ('flashcards', 'message_id'), ('generation_pieces', 'generation_id'),
  ('generations', 'id'), ('generations', 'session_id'), ('generations', 'question_id'), ('generations', 'parent_id'),
  ('generations', 'node_id'), ('lab_submissions', 'id'), ('llm_calls', 'message_id'), ('message_feedback', 'message_id'),
  ('message_feedback', 'node_id'), ('notifications', 'id'), ('notifications', 'discussion_post_id'),
  ('quiz_attempt_questions', 'quiz_attempt_id'), ('quiz_attempts', 'id'), ('user_content_progress', 'id'),
  ('user_module_progress', 'id')
on conflict do nothing;
--> statement-breakpoint
create table if not exists widening.filled (table_name text primary key, done_to bigint not null);
--> statement-breakpoint
-- Adds the new columns of a table, and the trigger that fills them.
create or replace function widening.prepare(the_table text) returns void language plpgsql as $$
declare
  one record;
  assignments text := '';
begin
  for one in
    select a.attname as name, a.attnotnull as is_required
    from widening.columns as c join pg_attribute as a
      on a.attrelid = format('public.%I', the_table)::regclass and a.attname = c.column_name
    where c.table_name = the_table order by a.attnum
  loop
    execute format('alter table public.%I add column if not exists %I bigint %s', the_table, one.name || '_wide',
      case when one.is_required then 'not null default 0' else '' end);
    assignments := assignments || format('new.%I := new.%I; ', one.name || '_wide', one.name);
  end loop;
  execute format('create or replace function widening.%I() returns trigger language plpgsql as %L',
    'fill_' || the_table, 'begin ' || assignments || 'return new; end');
  execute format('create or replace trigger zz_widen before insert or update on public.%I
    for each row execute function widening.%I()', the_table, 'fill_' || the_table);
end $$;
--> statement-breakpoint
-- each
select format('select widening.prepare(%L)', table_name) from widening.columns group by table_name order by table_name;
--> statement-breakpoint
-- Fills the new columns of the next `most` rows of a table; answers whether there were any. Rows that someone holds are
-- not waited for: what this holds itself is let go at once, and it comes again.
create or replace function widening.fill(the_table text, most integer) returns boolean
language plpgsql set lock_timeout = '50ms' as $$
declare
  key text;
  narrow text;
  wide text;
  done bigint;
  last bigint;
begin
  select a.attname into key from pg_index as i join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
  where i.indrelid = format('public.%I', the_table)::regclass and i.indisprimary;
  insert into widening.filled values (the_table, 0) on conflict do nothing;
  select done_to into done from widening.filled where table_name = the_table for update;
  execute format('select max(k) from (select %1$I as k from public.%2$I where %1$I > $1 order by %1$I limit $2) as part',
    key, the_table) into last using done, most;
  if last is null then return false; end if;
  select string_agg(quote_ident(column_name), ', '), string_agg(quote_ident(column_name || '_wide'), ', ')
  into narrow, wide from widening.columns where table_name = the_table;
  execute format('update public.%1$I set (%2$s) = row (%3$s)
    where %4$I > $1 and %4$I <= $2 and row (%2$s) is distinct from row (%3$s)', the_table, wide, narrow, key)
  using done, last;
  update widening.filled set done_to = last where table_name = the_table;
  return true;
end $$;
--> statement-breakpoint
-- each
select format('select widening.fill(%L, 2000)', table_name) from widening.columns group by table_name order by table_name;
--> statement-breakpoint
-- What stands behind the name of a table in the definition of its index or constraint, with the new columns.
create or replace function widening.widened(the_table text, definition text) returns text language plpgsql stable as $$
declare
  one text;
begin
  for one in select column_name from widening.columns where table_name = the_table loop
    definition := regexp_replace(definition, '\m' || one || '\M', one || '_wide', 'g');
  end loop;
  return definition;
end $$;
--> statement-breakpoint
-- The indexes in which an old column stands, and what the new ones are called meanwhile.
create or replace view widening.indexes as
  select i.indrelid as table_id, own.table_name, made.relname as index_name, i.indisunique as is_unique,
         'wide_' || md5(made.relname) as new_name, widening.widened(own.table_name, text.definition) as definition
  from (select distinct table_name from widening.columns) as own
  join pg_index as i on i.indrelid = format('public.%I', own.table_name)::regclass
  join pg_class as made on made.oid = i.indexrelid
  cross join lateral (select substring(pg_get_indexdef(i.indexrelid) from ' USING .*$')) as text (definition)
  where made.relname !~ '^wide_' and text.definition <> widening.widened(own.table_name, text.definition);
--> statement-breakpoint
-- An index that is made concurrently waits for others, and nobody for it.
set lock_timeout = 0;
--> statement-breakpoint
-- each
select statement from widening.indexes as one
left join pg_class as made on made.relname = one.new_name and made.relnamespace = 'public'::regnamespace
left join pg_index as state on state.indexrelid = made.oid
cross join lateral (values
  (1, case when not state.indisvalid then format('drop index concurrently public.%I', one.new_name) end),
  (2, case when state.indisvalid is not true then format('create %s concurrently %I on public.%I%s',
        case when one.is_unique then 'unique index' else 'index' end, one.new_name, one.table_name, one.definition) end)
) as part (step, statement)
where statement is not null order by one.table_name, one.index_name, step;
--> statement-breakpoint
-- each
select format('analyze public.%I', table_name) from widening.columns group by table_name order by table_name;
