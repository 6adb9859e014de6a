import { type SQL, sql } from "drizzle-orm";
import { retentionStartSql } from "./retention-start.ts";
import {
  bigintArraySql,
  type ContainedTable,
  dateScanQueryBuilder,
  itemScanQueryBuilders,
  offeringScanQueryBuilders,
  type RetentionTable,
  type ScanRange,
  walkColumnsSql,
} from "./table-walks.ts";

const lastWords = sql`(
  select max(created_at) from chat_messages where session_id in (
    select id from chat_sessions as talk where talk.id = chat_sessions.id or talk.aside_of_id = chat_sessions.id))`;

/** Conversations and asides, by their last message, including those of asides. */
const conversations: RetentionTable = {
  name: "conversations",
  kind: "conversations",
  table: "chat_sessions",
  ...itemScanQueryBuilders({
    table: "chat_sessions",
    within: sql`chat_sessions.content_item_id`,
    person: sql`chat_sessions.user_id`,
    moment: sql`coalesce(${lastWords}, chat_sessions.created_at)`,
    isLeft: sql`chat_sessions.answering_generation_id is null`,
    facts: sql`json_build_object('content_item_id', chat_sessions.content_item_id, 'messages', (
      select count(*) from chat_messages where session_id = chat_sessions.id))`,
  }),
  forget: (ids) => [sql`delete from chat_sessions where id = any (${ids})`],
};

/** Answers to the tutor's questions. Anonymous counts by option remain. */
const steps: RetentionTable = {
  name: "answers to the tutor",
  kind: "conversations",
  table: "tutor_steps",
  ...itemScanQueryBuilders({
    table: "tutor_steps",
    from: sql`tutor_questions as asked join tutor_steps on tutor_steps.question_id = asked.id`,
    within: sql`asked.content_item_id`,
    person: sql`tutor_steps.user_id`,
    offering: sql`tutor_steps.course_offering_id`,
    moment: sql`tutor_steps.created_at`,
    facts: sql`json_build_object('content_item_id', asked.content_item_id, 'question_id', tutor_steps.question_id,
      'try_number', tutor_steps.try_number)`,
  }),
  forget: (ids) => [sql`select delete_tutor_steps_keeping_counts(${ids})`],
};

const events: RetentionTable = {
  name: "activity_events",
  kind: "activity_events",
  table: "activity_events",
  rows: dateScanQueryBuilder({
    table: "activity_events",
    from: sql`activity_events left join content_items as item on item.id = activity_events.content_item_id`,
    university: sql`activity_events.university_id`,
    person: sql`activity_events.user_id`,
    offering: sql`activity_events.course_offering_id`,
    course: sql`item.course_id`,
    moment: sql`activity_events.occurred_at`,
    facts: sql`json_build_object('verb', verb, 'object_type', object_type, 'object_id', object_id,
      'content_item_id', content_item_id)`,
  }),
  // Readers of the feed before that event get an error: lib/integrations/event-feed/read-events.ts.
  forget: (ids, university) => [
    sql`
      with forgotten as (delete from activity_events where id = any (${ids}) returning change_number, id),
      last as (select change_number, id from forgotten order by change_number desc, id desc limit 1)
      update retention_policies set forgotten_change = last.change_number, forgotten_event = last.id from last
      where university_id = ${university}
        and coalesce((last.change_number, last.id) > (forgotten_change, forgotten_event), true)`,
  ],
};

/** Costs remain without the person, for reports and monthly totals. */
const calls: RetentionTable = {
  name: "llm_calls",
  kind: "llm_calls",
  table: "llm_calls",
  rows: dateScanQueryBuilder({
    table: "llm_calls",
    from: sql`llm_calls`,
    university: sql`llm_calls.university_id`,
    person: sql`llm_calls.user_id`,
    course: sql`llm_calls.course_id`,
    moment: sql`llm_calls.started_at`,
    isLeft: sql`(llm_calls.user_id is not null or llm_calls.message_id is not null)`,
    facts: sql`json_build_object('content_item_id', content_item_id, 'input_tokens', input_tokens,
      'output_tokens', output_tokens, 'cost_micros', cost_micros)`,
  }),
  forget: (ids) => [sql`update llm_calls set user_id = null, message_id = null where id = any (${ids})`],
};

const log: RetentionTable = {
  name: "audit_events",
  kind: "audit_events",
  table: "audit_events",
  isLog: true,
  rows: (university, before, looked) => sql`
    select 0 as container, id as row_id, ${walkColumnsSql({
      person: sql`subject_id`,
      other: sql`actor_id`,
      moment: sql`occurred_at`,
      facts: sql`json_build_object('action', action, 'actor_id', actor_id)`,
    })}
    from audit_events where university_id = ${university} and occurred_at < ${before}
      and ${"ids" in looked ? sql`id = any (${bigintArraySql(looked.ids)})` : sql`id > ${looked.row} order by id limit ${looked.rows}`}`,
  forget: (ids, university, before) => [
    sql`select prune_audit_events(${before}, null, ${university}, ${ids})`,
  ],
};

const notices: RetentionTable = {
  name: "notifications",
  kind: "notifications",
  table: "notifications",
  ...offeringScanQueryBuilders({
    table: "notifications",
    person: sql`notifications.user_id`,
    moment: sql`notifications.created_at`,
    facts: sql`json_build_object('kind', kind, 'content_item_id', content_item_id)`,
  }),
  forget: (ids) => [sql`delete from notifications where id = any (${ids})`],
};

const attemptOf = sql`json_build_object('content_item_id', content_item_id, 'attempt_number', attempt_number,
  'score_obtained', score_obtained, 'max_score', max_score)`;

const closedAttempts = {
  table: "quiz_attempts",
  person: sql`quiz_attempts.user_id`,
  moment: sql`quiz_attempts.submitted_at`,
  facts: attemptOf,
} as const;

const packageAttempts = {
  table: "scorm_attempts",
  person: sql`scorm_attempts.user_id`,
  moment: sql`greatest(scorm_attempts.started_at, scorm_attempts.committed_at)`,
  facts: sql`json_build_object('content_item_id', content_item_id, 'attempt_number', attempt_number,
    'score_scaled', score_scaled)`,
} as const;

const work = {
  table: "lab_submissions",
  person: sql`lab_submissions.user_id`,
  moment: sql`greatest(lab_submissions.submitted_at, lab_submissions.graded_at)`,
  facts: attemptOf,
} as const;

/** Questions and answers. Results remain until grades are deleted. */
const answers: RetentionTable = {
  name: "answers",
  kind: "submissions",
  ...{ table: "quiz_attempts" },
  ...offeringScanQueryBuilders({
    ...closedAttempts,
    isLeft: sql`not quiz_attempts.awaits_grading and (raw_response_json is not null or exists (
      select from quiz_attempt_questions where quiz_attempt_id = quiz_attempts.id))`,
  }),
  forget: (ids) => [
    sql`delete from quiz_attempt_questions where quiz_attempt_id = any (${ids})`,
    sql`update quiz_attempts set raw_response_json = null where id = any (${ids})`,
  ],
};

/** What packages stored. Results remain. */
const runtimeData: RetentionTable = {
  name: "data of packages",
  kind: "submissions",
  ...{ table: "scorm_attempts" },
  ...offeringScanQueryBuilders({ ...packageAttempts, isLeft: sql`scorm_attempts.scos <> '{}'` }),
  forget: (ids) => [sql`update scorm_attempts set scos = '{}', sequencing = null where id = any (${ids})`],
};

/** Submissions with feedback and files. */
const contents: RetentionTable = {
  name: "work",
  kind: "submissions",
  table: "lab_submissions",
  ...offeringScanQueryBuilders({
    ...work,
    isLeft: sql`(num_nonnulls(body, data_json, artifacts_url, instructor_feedback, auto_grade_json) > 0 or links <> '{}'
      or exists (select from file_uses where submission_id = lab_submissions.id)
      or exists (select from file_uses where graded_submission_id = lab_submissions.id))`,
  }),
  forget: (ids) => [
    sql`delete from file_uses where submission_id = any (${ids}) or graded_submission_id = any (${ids})`,
    sql`
      update lab_submissions set body = null, links = '{}', data_json = null, artifacts_url = null,
        instructor_feedback = null, auto_grade_json = null
      where id = any (${ids})`,
    sql`update submission_marks set feedback = null where submission_id = any (${ids})`,
  ],
};

const deletedOf = (
  name: string,
  table: string,
  columns: Omit<ContainedTable, "within" | "table">,
): RetentionTable => ({
  ...{ name, table, kind: "grades" },
  ...offeringScanQueryBuilders({ ...columns, table }),
  forget: (ids) => [sql`delete from ${sql.identifier(table)} where id = any (${ids})`],
});

/** For anonymous work. The code is deleted with its last row. */
const deletedWork = (
  name: string,
  table: "quiz_attempts" | "lab_submissions",
  columns: Omit<ContainedTable, "within" | "table">,
): RetentionTable => {
  const other = sql.identifier(table === "quiz_attempts" ? "lab_submissions" : "quiz_attempts");
  const isNamed = sql`(named.course_offering_id, named.content_item_id, named.user_id)
    = (code.course_offering_id, code.content_item_id, code.user_id)`;
  return {
    ...deletedOf(name, table, columns),
    forget: (ids) => [
      sql`
        delete from anonymous_codes as code using ${sql.identifier(table)} as named
        where named.id = any (${ids}) and ${isNamed}
          and not exists (select from ${sql.identifier(table)} as named where ${isNamed} and named.id <> all (${ids}))
          and not exists (select from ${other} as named where ${isNamed})`,
      sql`delete from ${sql.identifier(table)} where id = any (${ids})`,
    ],
  };
};

export const retentionTables: readonly RetentionTable[] = [
  events,
  conversations,
  steps,
  calls,
  log,
  notices,
  answers,
  runtimeData,
  contents,
  deletedOf("changes of grades", "grade_changes", {
    person: sql`grade_changes.user_id`,
    moment: sql`grade_changes.changed_at`,
    facts: sql`json_build_object('kind', kind, 'content_item_id', content_item_id)`,
  }),
  deletedOf("grades of items", "item_grades", {
    person: sql`item_grades.user_id`,
    moment: sql`item_grades.updated_at`,
    facts: sql`json_build_object('content_item_id', content_item_id, 'score_override', score_override,
      'is_excused', is_excused)`,
  }),
  deletedOf("grades of courses", "course_grades", {
    person: sql`course_grades.user_id`,
    // Grades that are not final date from their last change.
    moment: sql`coalesce(course_grades.graded_at, course_grades.outdated_at, (
      select max(changed_at) from grade_changes
      where grade_changes.user_id = course_grades.user_id and grade_changes.course_offering_id = course_grades.course_offering_id
    ), '-infinity')`,
    facts: sql`json_build_object('final_score', final_score, 'letter_grade', letter_grade, 'passed', passed)`,
  }),
  deletedWork("attempts", "quiz_attempts", closedAttempts),
  deletedWork("submissions", "lab_submissions", work),
  deletedOf("attempts at packages", "scorm_attempts", packageAttempts),
];

/**
 * A part's rows to delete, as `due`: term and own date are old enough, and no hold applies. Also `seen`: all
 * rows examined.
 */
export function rowsDueForDeletionCtes(
  part: RetentionTable,
  university: number,
  before: SQL,
  moment: string,
  looked: ScanRange,
): SQL {
  return sql`
    seen as materialized (${part.rows(university, before, looked)}),
    judged as materialized (
      select place.*, ${retentionStartSql(sql`place.person`, sql`place.offering`, sql`place.course`)} as started,
             is_under_retention_hold(${university}, array[person, other], offering, course, ${moment}) as held
      from (select distinct person, other, offering, course from seen) as place
    ),
    due as (
      select seen.* from seen join judged using (person, other, offering, course)
      where not held and coalesce(started < ${before}, true)
    )`;
}
