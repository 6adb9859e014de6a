set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "discussion_reports" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "discussion_reports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"post_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"outcome" text,
	"resolved_at" timestamp (3) with time zone,
	CONSTRAINT "discussion_reports_post_id_user_id_unique" UNIQUE("post_id","user_id"),
	CONSTRAINT "discussion_reports_outcome_check" CHECK ("discussion_reports"."outcome" in ('hidden', 'kept'))
);
--> statement-breakpoint
CREATE TABLE "flashcard_decks" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "flashcard_decks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"title" varchar(255) NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "flashcard_decks_user_id_title_unique" UNIQUE("user_id","title"),
	CONSTRAINT "flashcard_decks_id_user_id_unique" UNIQUE("id","user_id")
);
--> statement-breakpoint
CREATE TABLE "course_ratings" (
	"course_id" integer PRIMARY KEY NOT NULL,
	"reviews" integer DEFAULT 0 NOT NULL,
	"rating_sum" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "notes" DROP CONSTRAINT "notes_content_item_id_content_items_id_fk";
--> statement-breakpoint
DROP INDEX "discussion_threads_course_offering_id_created_at_id_index";
--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD COLUMN "depth" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD COLUMN "is_hidden" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD COLUMN "is_pinned" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD COLUMN "answer_post_id" integer;
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD COLUMN "post_count" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD COLUMN "last_post_at" timestamp (3) with time zone DEFAULT now() NOT NULL;
--> statement-breakpoint
ALTER TABLE "flashcard_reviews" ADD COLUMN "learning_steps" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "flashcards" ADD COLUMN "deck_id" integer;
--> statement-breakpoint
ALTER TABLE "flashcards" ADD COLUMN "message_id" integer;
--> statement-breakpoint
ALTER TABLE "flashcards" ADD COLUMN "learning_steps" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "notes" ADD COLUMN "anchor" jsonb;
--> statement-breakpoint
ALTER TABLE "notes" ADD COLUMN "language_code" varchar(8) DEFAULT 'en' NOT NULL;
--> statement-breakpoint
ALTER TABLE "notes" ADD COLUMN "search" "tsvector" DEFAULT ''::tsvector NOT NULL;
--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_post_id_discussion_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."discussion_posts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "flashcard_decks" ADD CONSTRAINT "flashcard_decks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "course_ratings" ADD CONSTRAINT "course_ratings_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "discussion_reports_course_offering_id_outcome_created_at_id_index" ON "discussion_reports" USING btree ("course_offering_id","outcome","created_at","id");
--> statement-breakpoint
CREATE INDEX "discussion_reports_user_id_index" ON "discussion_reports" USING btree ("user_id");
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_answer_post_id_discussion_posts_id_fk" FOREIGN KEY ("answer_post_id","id") REFERENCES "public"."discussion_posts"("id","thread_id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "flashcards" ADD CONSTRAINT "flashcards_message_id_chat_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."chat_messages"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "flashcards" ADD CONSTRAINT "flashcards_deck_id_flashcard_decks_id_fk" FOREIGN KEY ("deck_id","user_id") REFERENCES "public"."flashcard_decks"("id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "discussion_threads_order_index" ON "discussion_threads" USING btree ("course_offering_id","is_pinned" DESC NULLS FIRST,"last_post_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);
--> statement-breakpoint
CREATE INDEX "discussion_threads_answer_post_id_index" ON "discussion_threads" USING btree ("answer_post_id");
--> statement-breakpoint
CREATE INDEX "flashcards_deck_id_due_id_index" ON "flashcards" USING btree ("deck_id","due","id");
--> statement-breakpoint
CREATE INDEX "flashcards_message_id_index" ON "flashcards" USING btree ("message_id");
--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD CONSTRAINT "discussion_posts_depth_check" CHECK ("discussion_posts"."depth" between 0 and 8);
--> statement-breakpoint
-- Adds a post, perhaps in answer to another. No row: the thread is gone.
create or replace function add_post(
  the_thread integer, parent integer, person integer, words text, moment timestamptz
) returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads;
  answered discussion_posts;
begin
  perform from users where id = person for key share;
  select * into thread from discussion_threads where id = the_thread for no key update;
  if not found then return; end if;
  if parent is not null then
    select * into answered from discussion_posts where id = parent and thread_id = the_thread for share;
  end if;
  refusal := case
    when thread.is_locked then 'locked'
    when parent is not null and answered.id is null then 'no_parent'
    when answered.is_deleted or answered.is_hidden then 'parent_gone'
    when answered.depth >= 8 then 'too_deep'
  end;
  if refusal is null then
    insert into discussion_posts (thread_id, parent_post_id, depth, user_id, body, created_at, updated_at)
    values (the_thread, parent, coalesce(answered.depth + 1, 0), person, words, moment, moment)
    returning * into post;
    update discussion_threads
    set post_count = post_count + 1, last_post_at = greatest(last_post_at, moment) where id = the_thread;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Changes what is named in `change`: title, is_pinned, is_locked, answer_post_id. No row: the thread is gone.
create or replace function change_thread(the_thread integer, change jsonb)
returns table (refusal text, thread discussion_threads) language plpgsql as $$
declare
  answer integer := change ->> 'answer_post_id';
begin
  select * into thread from discussion_threads where id = the_thread for no key update;
  if not found then return; end if;
  if answer is not null and not exists (
    select from discussion_posts where id = answer and thread_id = the_thread and not is_deleted
  ) then
    refusal := 'no_answer';
  else
    update discussion_threads set
      title = case when change ? 'title' then change ->> 'title' else title end,
      is_pinned = coalesce((change ->> 'is_pinned')::boolean, is_pinned),
      is_locked = coalesce((change ->> 'is_locked')::boolean, is_locked),
      answer_post_id = case when change ? 'answer_post_id' then answer else answer_post_id end
    where id = the_thread returning * into thread;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Takes the words out of a post, which keeps its place. It answers its thread no longer.
create or replace function delete_post(the_post integer) returns void language plpgsql as $$
begin
  perform hold_thread_of(the_post);
  update discussion_posts set body = '', is_deleted = true, updated_at = now() where id = the_post and not is_deleted;
  update discussion_threads set answer_post_id = null where answer_post_id = the_post;
end $$;
--> statement-breakpoint
-- Gives a post other words, unless its thread is locked or it was deleted. No row: the post is gone.
create or replace function edit_post(the_post integer, words text, moment timestamptz)
returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads := hold_thread_of(the_post);
begin
  select * into post from discussion_posts where id = the_post for no key update;
  if not found then return; end if;
  refusal := case when post.is_deleted then 'deleted' when thread.is_locked then 'locked' end;
  if refusal is null then
    update discussion_posts set body = words, updated_at = moment where id = the_post returning * into post;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql.
create or replace function erase_account(person integer, version integer, keep_certificates boolean, request jsonb)
returns boolean language plpgsql as $$
declare
  own users;
  doomed integer[];
  left_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status = 'active' order by 1);
begin
  perform keep_course(offering) from unnest(left_offerings) as offering;
  perform from course_offerings where id = any (left_offerings) order by id for no key update;
  doomed := hold_own_words(person);
  perform lock_totals();
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  -- What happened is counted before it goes, and what is counted stays.
  while (select is_behind from count_some_events()) loop end loop;
  while count_messages(20000) >= 20000 loop end loop;
  perform count_trees(null);
  perform set_config('learning.erasing', 'on', true);

  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform leave_discussions(person);
  if not keep_certificates then delete from certificates where user_id = person; end if;
  delete from course_trees where user_id = person;
  delete from mail_outbox where address = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where actor_id = person or subject_id = person;
  delete from users where id = person;
  delete from uncounted_trees where user_id = person;

  perform set_config('learning.erasing', 'off', true);
  perform fill_places(offering) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- The thread of a post, held so that nobody locks it or posts in it meanwhile.
create or replace function hold_thread_of(the_post integer) returns discussion_threads language sql as $$
  select * from discussion_threads where id = (select thread_id from discussion_posts where id = the_post)
  for no key update
$$;
--> statement-breakpoint
create or replace function keep_course_rating() returns trigger language plpgsql as $$
declare
  more integer := case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end;
  stars integer := coalesce(new.rating, 0) - coalesce(old.rating, 0);
begin
  insert into course_ratings as kept (course_id, reviews, rating_sum)
  select course_id, more, stars from course_offerings
  where id = coalesce(new.course_offering_id, old.course_offering_id)
  on conflict (course_id) do update
    set reviews = kept.reviews + excluded.reviews, rating_sum = kept.rating_sum + excluded.rating_sum;
  return null;
end $$;
--> statement-breakpoint
-- Takes a person out of the discussions: their words go, their posts and threads keep their places.
create or replace function leave_discussions(person integer) returns void language plpgsql as $$
declare
  touched integer[] := array(
    select thread_id from discussion_posts where user_id = person
    union select id from discussion_threads where created_by_user_id = person);
begin
  perform from discussion_threads where id = any (touched) order by id for no key update;
  update discussion_threads set answer_post_id = null
  where id = any (touched)
    and answer_post_id in (select id from discussion_posts where user_id = person and not is_deleted);
  update discussion_posts set body = '', is_deleted = true, user_id = null where user_id = person;
  update discussion_threads set title = null, created_by_user_id = null where created_by_user_id = person;
end $$;
--> statement-breakpoint
-- Hides a post's words, or shows them again, which is what becomes of the reports of it that are open.
create or replace function moderate_post(the_post integer, hide boolean, moment timestamptz)
returns setof discussion_posts language plpgsql as $$
begin
  perform hold_thread_of(the_post);
  update discussion_reports
  set outcome = case when hide then 'hidden' else 'kept' end, resolved_at = moment
  where post_id = the_post and outcome is null;
  return query update discussion_posts set is_hidden = hide where id = the_post returning *;
end $$;
--> statement-breakpoint
create or replace function notes_take_search() returns trigger language plpgsql as $$
begin
  new.search := to_tsvector(search_configuration(new.language_code), new.body);
  return new;
end $$;
--> statement-breakpoint
-- How far a person is in the course of an offering, 0 to 100: the mean of their progress in all that is shown there.
create or replace function percent_of_course(person integer, offering integer) returns numeric
language sql stable as $$
  select coalesce(avg(coalesce(progress_percent, 0)), 0)
  from course_offerings as run
  join content_items as item on item.course_id = run.course_id and item.is_active
    and is_module_published(item.module_id)
  left join user_content_progress as progress on progress.content_item_id = item.id
    and progress.course_offering_id = run.id and progress.user_id = person
  where run.id = offering
$$;
--> statement-breakpoint
-- What PostgreSQL knows of a language (`es`, `pt-BR`): its endings and the words that do not count; of others nothing.
create or replace function search_configuration(language text) returns regconfig language sql stable as $$
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
--> statement-breakpoint
create or replace trigger keep_course_rating after insert or update of rating or delete on course_reviews
  for each row execute function keep_course_rating();
--> statement-breakpoint
create or replace trigger notes_take_search before insert or update of body, language_code on notes
  for each row execute function notes_take_search();
--> statement-breakpoint
-- What was there before: its sums.
insert into course_ratings (course_id, reviews, rating_sum)
select course_id, count(*), sum(rating)
from course_reviews join course_offerings on course_offerings.id = course_offering_id
group by course_id;
--> statement-breakpoint
update discussion_threads set post_count = posts.number, last_post_at = posts.last_at
from (select thread_id, count(*) as number, max(created_at) as last_at from discussion_posts group by thread_id) as posts
where posts.thread_id = discussion_threads.id;
--> statement-breakpoint
set local check_function_bodies = on;
