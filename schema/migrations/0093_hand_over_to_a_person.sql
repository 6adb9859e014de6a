set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "tutor_handovers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tutor_handovers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"thread_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"session_id" bigint,
	"node_id" bigint,
	"excerpt" jsonb NOT NULL,
	CONSTRAINT "tutor_handovers_thread_id_unique" UNIQUE("thread_id")
);
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD COLUMN "visible" text DEFAULT 'class' NOT NULL;
--> statement-breakpoint
ALTER TABLE "tutor_handovers" ADD CONSTRAINT "tutor_handovers_thread_id_discussion_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."discussion_threads"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tutor_handovers" ADD CONSTRAINT "tutor_handovers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tutor_handovers" ADD CONSTRAINT "tutor_handovers_session_id_chat_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."chat_sessions"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tutor_handovers" ADD CONSTRAINT "tutor_handovers_node_id_cache_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."cache_nodes"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "tutor_handovers_user_id_index" ON "tutor_handovers" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "tutor_handovers_session_id_index" ON "tutor_handovers" USING btree ("session_id");
--> statement-breakpoint
CREATE INDEX "tutor_handovers_node_id_index" ON "tutor_handovers" USING btree ("node_id");
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_visible_check" CHECK ("discussion_threads"."visible" in ('class', 'staff'));
--> statement-breakpoint
-- Whether a person may still see a thread, and so be told what is said in it.
create or replace function is_thread_open_to(person integer, the_thread integer) returns boolean
language sql stable as $$
  select is_staff_of_offering(person, run.id) or (
    takes_part(person, run.id) and course.is_published
    and (thread.visible = 'class' or coalesce(thread.created_by_user_id = person, false))
    and (thread.module_id is null or is_module_published(thread.module_id))
    and (thread.content_item_id is null or is_item_public(thread.content_item_id)))
  from discussion_threads as thread
  join course_offerings as run on run.id = thread.course_offering_id
  join courses as course on course.id = run.course_id
  where thread.id = the_thread
$$;
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
  delete from tutor_handovers where user_id = person;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
