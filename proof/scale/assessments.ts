import { roles } from "../../schema/enums.ts";
import type { GeneratedTableInsert, MaxIdByTable } from "./generated-inserts.ts";
import type { ScaleSize } from "./size.ts";

const rubric = {
  criteria: ["Idea", "Proof"].map((title, at) => ({
    id: `c${at}`,
    title,
    levels: [0, 10].map((points) => ({ id: `l${points}`, title: `${points} points`, points })),
  })),
};

/**
 * Per course: a pool of five questions, a quiz attempt by the university's first learner, a lab with a
 * rubric, their submission with the first of two marks, and their certificate.
 */
export function buildAssessmentInserts(
  { universities, courses }: ScaleSize,
  base: MaxIdByTable,
): GeneratedTableInsert[] {
  const university = `${base.universities} + n % ${universities} + 1`;
  const learner = `${base.users} + ${roles.length * universities} + n % ${universities} + 1`;
  // One in three is graded anonymously, which assigns codes automatically.
  const lab = `jsonb_build_object('grading', '{"max_points": 20}'::jsonb, 'anonymous', n % 3 = 1, 'second_mark', true,
    'rubric', '${JSON.stringify(rubric)}'::jsonb)`;
  return [
    {
      what: "question pools",
      table: "question_pools",
      columns: "id, university_id, course_id, title",
      count: courses,
      rows: `${base.question_pools} + n + 1, ${university}, ${base.courses} + n + 1, 'Pool'`,
    },
    {
      what: "questions",
      table: "questions",
      columns: "id, question_pool_id, kind, question_text, answer_json",
      count: courses * 5,
      rows: `${base.questions} + n + 1, ${base.question_pools} + n % ${courses} + 1, 'true_false', 'True?',
             '{"value": true}'`,
    },
    {
      what: "attempts",
      table: "quiz_attempts",
      columns: `id, user_id, course_offering_id, content_item_id, attempt_number, submitted_at, score_obtained,
                max_score, passed`,
      count: courses,
      rows: `${base.quiz_attempts} + n + 1, ${learner}, ${base.course_offerings} + n + 1,
             ${base.content_items} + n + 1, 2, now(), 2, 5, false`,
    },
    {
      what: "labs",
      table: "content_items",
      columns: "id, module_id, course_id, university_id, content_type_id, title, data_json, sequence_index",
      count: courses,
      rows: `${base.content_items} + ${courses} + n + 1, ${base.modules} + n + 1, ${base.courses} + n + 1,
             ${university}, (select id from content_types where name = 'engineering_lab'), 'Lab',
             ${lab}, 2`,
    },
    {
      what: "submissions",
      table: "lab_submissions",
      columns: "id, user_id, course_offering_id, content_item_id, body",
      count: courses,
      rows: `${base.lab_submissions} + n + 1, ${learner}, ${base.course_offerings} + n + 1,
             ${base.content_items} + ${courses} + n + 1, 'Work'`,
    },
    {
      what: "marks",
      table: "submission_marks",
      columns: "submission_id, place, grader_id, score, marked_at",
      count: courses,
      rows: `${base.lab_submissions} + n + 1, 1, ${base.users} + ${(roles.indexOf("instructor") - 1) * universities} + n % ${universities} + 1,
             7, now()`,
    },
    {
      what: "certificates",
      table: "certificates",
      columns: `id, user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
                issued_at`,
      count: courses,
      rows: `${base.certificates} + n + 1, ${learner}, ${base.course_offerings} + n + 1,
             'scale-' || ${base.certificates} + n + 1, 'Learner', 'Course', 'University', now()`,
    },
  ];
}
