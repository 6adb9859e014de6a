set local check_function_bodies = off;
--> statement-breakpoint
-- Takes a person's name off what they did as staff.
create or replace function leave_office(person integer) returns void language plpgsql as $$
begin
  update announcements set created_by_user_id = null where created_by_user_id = person;
  update answer_pins set pinned_by = null where pinned_by = person;
  update cache_nodes set edited_by = null where edited_by = person;
  update course_exemptions set granted_by_user_id = null where granted_by_user_id = person;
  update grade_changes set changed_by_user_id = null where changed_by_user_id = person;
  update imports set created_by_user_id = null where created_by_user_id = person;
  update invitations set invited_by_user_id = null where invited_by_user_id = person;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where claimed_by_user_id = person;
  update lab_submissions set graded_by_user_id = null where graded_by_user_id = person;
  update prompts set created_by = null where created_by = person;
  update trials set created_by = null where created_by = person;
  update tree_changes set changed_by = null where changed_by = person;
  update tree_changes set undone_by = null where undone_by = person;
  update tutor_notes set updated_by = null where updated_by = person;
  update prompt_label_events set changed_by = null where changed_by = person;
  update stored_credentials set updated_by = null where updated_by = person;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
