set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "university_members" (
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"full_name" varchar(255) NOT NULL,
	"email" varchar(255) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"search_text" text NOT NULL,
	CONSTRAINT "university_members_university_id_user_id_pk" PRIMARY KEY("university_id","user_id")
);
--> statement-breakpoint
DROP INDEX "user_content_progress_content_item_id_index";
--> statement-breakpoint
-- Those who are members already; nobody becomes one, or is renamed, until the triggers are there.
lock table users, user_university_roles, enrollments in share row exclusive mode;
--> statement-breakpoint
insert into university_members (university_id, user_id, full_name, email, search_text, created_at)
select known.university_id, users.id, full_name, email, search_text, created_at
from (
  select university_id, user_id from user_university_roles union select university_id, user_id from enrollments
) as known
join users on users.id = known.user_id;
--> statement-breakpoint
DROP INDEX "enrollments_roster_index";
--> statement-breakpoint
ALTER TABLE "university_members" ADD CONSTRAINT "university_members_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "university_members" ADD CONSTRAINT "university_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "university_members_university_id_search_text_user_id_index" ON "university_members" USING btree ("university_id","search_text","user_id");
--> statement-breakpoint
CREATE INDEX "university_members_university_id_email_user_id_index" ON "university_members" USING btree ("university_id","email","user_id");
--> statement-breakpoint
CREATE INDEX "university_members_university_id_created_at_user_id_index" ON "university_members" USING btree ("university_id","created_at","user_id");
--> statement-breakpoint
CREATE INDEX "university_members_user_id_index" ON "university_members" USING btree ("user_id");
--> statement-breakpoint
ALTER TABLE "user_university_roles" ADD CONSTRAINT "user_university_roles_member_fk" FOREIGN KEY ("university_id","user_id") REFERENCES "public"."university_members"("university_id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "user_content_progress_item_index" ON "user_content_progress" USING btree ("content_item_id","completed_at","course_offering_id","user_id");
--> statement-breakpoint
CREATE INDEX "enrollments_roster_index" ON "enrollments" USING btree ("course_offering_id","status","enrolled_at","id","user_id","completion_source");
--> statement-breakpoint
-- By its key, also while the planner knows nothing of the table yet, as in the first import.
create or replace function become_member() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (select from university_members where university_id = new.university_id and user_id = new.user_id) then
    return new;
  end if;
  insert into university_members (university_id, user_id, full_name, email, search_text, created_at)
  select new.university_id, id, full_name, email, search_text, created_at from users where id = new.user_id for share
  on conflict do nothing;
  return new;
end $$;
--> statement-breakpoint
-- People are made, or found; found ones get the source's id, and the role of a student where they have nothing in the
-- university. Their name changes only as `may_rename` says, and their address, by which they sign in, never. Two rows of
-- one file never name the same person.
create or replace function import_people(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  made integer[];
  changed integer[];
  gone record;
  has_left boolean;
begin
  with fresh as (
    insert into users (email, full_name)
    select one.email, one.details ->> 'full_name' from import_batch(import, batch) as one
    where one.person is null and not one.is_deletion order by one.email
    on conflict (email) do nothing returning users.id
  )
  select coalesce(array_agg(id), '{}') into made from fresh;
  -- In one order, since whoever becomes a member is locked for it, and may be renamed thereafter.
  perform from users where id in (
    select one.person from import_batch(import, batch) as one
    where not one.is_deletion and not exists (
      select from university_members as known
      where known.university_id = import.university_id and known.user_id = one.person)
  ) order by id for no key update;
  with welcomed as (
    insert into user_university_roles (user_id, university_id, role)
    select one.person, import.university_id, 'student' from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and not exists (select from known_at(one.person) as known where known.university_id = import.university_id)
    on conflict do nothing returning user_university_roles.user_id
  )
  select coalesce(array_agg(user_id), '{}') into changed from welcomed;
  -- After that, since whoever belonged nowhere belongs here alone now: the same file would find it so.
  with listed as materialized (
    select one.* from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
  ), misnamed as materialized (
    select listed.person, listed.details ->> 'full_name' as name from listed join users on users.id = listed.person
    where users.full_name <> listed.details ->> 'full_name'
  ), renamed as (
    update users set full_name = misnamed.name, updated_at = service_now() from misnamed
    where users.id = misnamed.person and may_rename(import.university_id, misnamed.person)
    returning users.id
  ), sourced as (
    insert into sourced_people (university_id, sourced_id, user_id)
    select import.university_id, listed.sourced_id, listed.person from listed
    where listed.sourced_id is not null
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced) into changed;
  return query
  select one.row_id,
    case when one.has_other_address then 'refused' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change' end,
    one.person
  from import_batch(import, batch) as one where not one.is_deletion;
  for gone in select one.* from import_batch(import, batch) as one where one.is_deletion order by one.row_id loop
    row_id := gone.row_id;
    person := gone.person;
    outcome := 'refused';
    reason := null;
    if person is null then
      outcome := 'unchanged';
    elsif person = import.created_by_user_id then
      reason := 'Nobody removes themselves';
    else
      has_left := import_leaving(import, person, request);
      if has_left is null then
        reason := 'They hold a role that you may not revoke';
      else
        outcome := case when has_left then 'updated' else 'unchanged' end;
      end if;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
create or replace function rename_member() returns trigger language plpgsql as $$
begin
  update university_members
  set (full_name, email, search_text, created_at) = (new.full_name, new.email, new.search_text, new.created_at)
  where user_id = new.id;
  return null;
end $$;
--> statement-breakpoint
-- After, since the university of an enrollment is set before it is written.
create or replace trigger become_member
  after insert or update of user_id, course_offering_id, university_id on enrollments
  for each row execute function become_member();
--> statement-breakpoint
-- Before, since a role refers to the member who holds it.
create or replace trigger become_member before insert or update of user_id, university_id on user_university_roles
  for each row execute function become_member();
--> statement-breakpoint
create or replace trigger rename_member after update of full_name, email, created_at on users
  for each row
  when ((old.full_name, old.email, old.created_at) is distinct from (new.full_name, new.email, new.created_at))
  execute function rename_member();
--> statement-breakpoint
set local check_function_bodies = on;
