DROP INDEX "activity_events_occurred_at_index";
