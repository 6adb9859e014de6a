/** Whether no learner can take a quiz any more: then a stranger's exam attempt shows its answers. */
export const closedQuiz = (item: number, offering: number | string, moment: string): string =>
  `select are_correct_quiz_answers_shown(jsonb_populate_record(null::quiz_attempts, jsonb_build_object('id', 0, 'user_id', 0,
    'content_item_id', ${item}, 'course_offering_id', ${offering}, 'is_exam', true, 'submitted_at', now())), '${moment}')`;
