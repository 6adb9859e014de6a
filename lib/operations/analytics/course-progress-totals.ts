/**
 * Recomputes totals from trees, as after a bulk load. `isCounted` is a condition on `course_id`. Run them in
 * one transaction.
 */
export const recomputeProgressTotalsQuery = (isCounted = "true"): string => `
  lock table course_trees in share row exclusive mode;
  delete from tree_totals where ${isCounted};
  insert into tree_totals (course_id, is_month, day, completed, interrupted)
  select course_id, total.is_month, total.day, sum(change.completed), sum(change.interrupted)
  from course_trees as tree cross join lateral daily_completion_and_interruption_changes(tree) as change
  cross join lateral (values (false, change.day), (true, date_trunc('month', change.day)::date)) as total (is_month, day)
  where ${isCounted}
  group by 1, 2, 3 having sum(change.completed) <> 0 or sum(change.interrupted) <> 0`;
