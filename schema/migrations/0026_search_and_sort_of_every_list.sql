set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "search_text" text GENERATED ALWAYS AS (searched(url)) STORED;
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "search_text" text GENERATED ALWAYS AS (searched(email)) STORED;
--> statement-breakpoint
ALTER TABLE "module_templates" ADD COLUMN "search_text" text GENERATED ALWAYS AS (searched(title)) STORED;
--> statement-breakpoint
ALTER TABLE "question_pools" ADD COLUMN "search_text" text GENERATED ALWAYS AS (searched(title)) STORED;
--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "search_text" text GENERATED ALWAYS AS (searched(question_text)) STORED;
--> statement-breakpoint
ALTER TABLE "subjects" ADD COLUMN "search_text" text GENERATED ALWAYS AS (searched(name || ' ' || code)) STORED;
--> statement-breakpoint
ALTER TABLE "universities" ADD COLUMN "search_text" text GENERATED ALWAYS AS (searched(name || ' ' || short_code)) STORED;
--> statement-breakpoint
CREATE INDEX "assets_search_index" ON "assets" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "invitations_search_index" ON "invitations" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "question_pools_search_index" ON "question_pools" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "question_pools_search_text_id_index" ON "question_pools" USING btree ("search_text","id");
--> statement-breakpoint
CREATE INDEX "questions_search_index" ON "questions" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "universities_search_index" ON "universities" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "universities_search_text_id_index" ON "universities" USING btree ("search_text","id");
--> statement-breakpoint
-- The pools of a course with their questions, each in its present version, which is the first of the copy. Answers the
-- ids of the new pools by those of the old.
create or replace function copy_question_pools(source integer, target integer) returns jsonb language plpgsql as $$
declare
  pools jsonb;
begin
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('question_pools', 'id')) order by id), '{}')
  into pools from question_pools where course_id = source;
  if pools = '{}' then return pools; end if;
  insert into question_pools (id, university_id, course_id, title, description) overriding system value
  select (pools ->> id::text)::integer, university_id, target, title, description
  from question_pools where course_id = source;
  insert into questions
    (question_pool_id, kind, question_text, options_json, answer_json, explanation, points, is_active)
  select (pools ->> question_pool_id::text)::integer, kind, question_text, options_json, answer_json, explanation, points,
         is_active
  from questions where pools ? question_pool_id::text order by id;
  return pools;
end $$;
--> statement-breakpoint
-- The roles that people hold: those that they were granted, and in the course of an offering that they teach that of an
-- instructor, for as long as they hold one of ta or above in its university, if only for a department. Who is instructor
-- or above in all of it gains nothing by teaching there: of them no courses are listed, however many they teach.
create or replace view held_roles as
select user_id, role, university_id, department_id, null::integer as course_id from user_university_roles
union all
select distinct teaching.user_id, 'instructor', offering.university_id, null::integer, offering.course_id
from (
  select user_id, university_id from user_university_roles group by user_id, university_id
  having bool_or(role <> 'student') and not bool_or(role not in ('student', 'ta') and department_id is null)
) as granted
join course_offering_instructors as teaching on teaching.user_id = granted.user_id
join course_offerings as offering
  on offering.id = teaching.course_offering_id and offering.university_id = granted.university_id;
--> statement-breakpoint
set local check_function_bodies = on;
