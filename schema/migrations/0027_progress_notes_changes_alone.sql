-- Most posts of progress leave both days as they were: those note nothing.
create or replace trigger note_changes after insert or delete on user_content_progress
  for each row execute function note_changes();
--> statement-breakpoint
create or replace trigger note_later_changes after update of first_started_at, completed_at on user_content_progress
  for each row when ((new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at))
  execute function note_changes();
--> statement-breakpoint
create or replace trigger note_later_tree after update of first_started_at, completed_at on user_content_progress
  for each row when ((new.first_started_at, new.completed_at) is distinct from (old.first_started_at, old.completed_at))
  execute function note_tree();
--> statement-breakpoint
create or replace trigger note_tree after insert or delete on user_content_progress
  for each row execute function note_tree();
