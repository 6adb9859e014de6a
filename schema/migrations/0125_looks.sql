set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "file_uses" DROP CONSTRAINT "file_uses_thing_check";
--> statement-breakpoint
ALTER TABLE "files" DROP CONSTRAINT "files_purpose_check";
--> statement-breakpoint
ALTER TABLE "file_uses" ADD COLUMN "logo_university_id" integer;
--> statement-breakpoint
ALTER TABLE "universities" ADD COLUMN "display_name" varchar(60);
--> statement-breakpoint
ALTER TABLE "universities" ADD COLUMN "color" varchar(7);
--> statement-breakpoint
ALTER TABLE "universities" ADD COLUMN "logo_token" varchar(32);
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_logo_university_id_universities_id_fk" FOREIGN KEY ("logo_university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_logo_university_id_unique" ON "file_uses" USING btree ("logo_university_id");
--> statement-breakpoint
ALTER TABLE "universities" ADD CONSTRAINT "universities_logo_token_unique" UNIQUE("logo_token");
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_thing_check" CHECK (num_nonnulls("file_uses"."submission_id", "file_uses"."graded_submission_id", "file_uses"."post_id", "file_uses"."avatar_user_id",
        "file_uses"."logo_university_id", coalesce("file_uses"."asset_id", "file_uses"."content_item_id")) = 1);
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_purpose_check" CHECK ("files"."purpose" in ('asset', 'submission', 'feedback', 'post', 'avatar', 'logo', 'import'));
--> statement-breakpoint
ALTER TABLE "universities" ADD CONSTRAINT "universities_color_check" CHECK ("universities"."color" ~ '^#[0-9a-f]{6}$');
--> statement-breakpoint
-- Takes a person's files along with their account. Of graded work what it was stays: its size and its hash. What was handed in
-- for a group stays the others'.
create or replace function erase_files(person integer, moment timestamptz) returns void language plpgsql as $$
declare
  kept bigint[];
begin
  perform leave_files_to_group(person);
  kept := array(
    select used.file_id from file_uses as used
    join lab_submissions as work on work.id in (used.submission_id, used.graded_submission_id)
    where work.user_id = person and work.status = 'graded');
  perform from files where id = any (kept) or uploaded_by_user_id = person order by id for no key update;
  update files set object_id = null, name = '', refusal = null, promised_sha256 = null, erased_at = moment,
    uploaded_by_user_id = null
  where id = any (kept) and erased_at is null;
  update files set uploaded_by_user_id = null
  where uploaded_by_user_id = person and purpose in ('asset', 'feedback', 'logo') and state in ('checking', 'ready')
    and exists (select from file_uses where file_id = files.id);
  update files set uploaded_by_user_id = null
  where uploaded_by_user_id = person and purpose = 'asset' and state in ('checking', 'ready');
  delete from files where uploaded_by_user_id = person;
  delete from files where id in (select file_id from file_uses where avatar_user_id = person);
  delete from upload_days where user_id = person;
end $$;
--> statement-breakpoint
-- The logo of a university, put there by whoever sent it: another address with another logo. Answers by which token it is
-- read, and in `misplaced` the file that may not be it.
create or replace function put_logo(university integer, person integer, the_file bigint, token text, moment timestamptz)
returns table (misplaced bigint, shown text) language plpgsql as $$
begin
  select logo_token into shown from universities where id = university for no key update;
  if the_file is null or not exists (select from file_uses where logo_university_id = university and file_id = the_file) then
    if the_file is not null then
      misplaced := first_misplaced_file(array[the_file], person, 'logo', jsonb_build_object('university_id', university));
    end if;
    if misplaced is null then
      shown := case when the_file is not null then token end;
      delete from files where id in (select file_id from file_uses where logo_university_id = university);
      update universities set logo_token = shown, updated_at = moment where id = university;
      insert into file_uses (file_id, logo_university_id) select the_file, university where the_file is not null;
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
