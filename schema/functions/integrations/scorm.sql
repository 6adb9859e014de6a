-- Results of SCORM packages. The service computes them (lib/integrations/scorm/result.ts).
--
-- Locks: those of grades.sql and completion.sql, after the attempt.

create or replace trigger scorm_attempts_after_write after update of score_scaled, completed_at on scorm_attempts
  for each row when ((old.score_scaled, old.completed_at) is distinct from (new.score_scaled, new.completed_at))
  execute function enqueue_lti_score_and_sync_completion();
