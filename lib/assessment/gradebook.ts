import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Gradebook, type GradebookQuery } from "../../schema/api/assessment/grades.ts";
import { enrollments } from "../../schema/db/courses/enrollments.ts";
import { nameOnRecord } from "../../schema/db/identity/users.ts";
import { momentForm } from "../../schema/db/platform/columns.ts";
import { groupMemberCondition } from "../courses/in-group.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../courses/permitted-offering.ts";
import type { Actor } from "../identity/auth/actor.ts";
import {
  latestExternalIdSql,
  memberJoinSql,
  memberNameSearchTextSql,
  memberSearchTextSql,
  personIdByExternalIdSql,
} from "../identity/users/member-names.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { createPageQuery, createSortKey } from "../platform/db/query/page.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../platform/db/query/search-and-sort.ts";
import { csvText } from "../platform/readers/csv.ts";
import { anonymousGradingCondition } from "./anonymous-grading.ts";
import { formatCellVersions } from "./cell-versions.ts";

/** Some 2 MB of JSON. */
const maxGradebookCellsPerPage = 60_000;

/** `item` is a row of `gradebook_items_of_offering`. */
export const gradedItemJsonFieldsSql = (offering: SQL, dueAt: SQL = sql`item.due_at`): SQL => sql`
  'content_item_id', item.item_id, 'title', item.title, 'content_type', item.content_type,
  'max_points', item.max_points::float8, 'extra_points', (item.most_points - item.max_points)::float8, 'due_at', ${momentForm(dueAt)}, 'group_name', item.group_name,
  'counts', item.weight is not null, 'is_released', item.released,
  'is_anonymous', ${anonymousGradingCondition({ offering, item: sql`item.item_id` })}, 'drop_lowest', item.drop_lowest,
  'is_tool_column', item.content_type = 'external_tool' and exists (
    select from content_items as one where one.id = item.item_id and one.data_json ? 'line_item'),
  'has_review', item.content_type = 'external_tool' and exists (
    select from content_items as one where one.id = item.item_id and one.data_json ? 'submission_review'),
  'late_percent_per_day', item.late_percent_per_day::float8, 'max_late_days', item.max_late_days`;

const isDropped = sql`
  coalesce(case when own.graded_at is null then cell.dropped_so_far else cell.dropped_in_all end, false)`;

export const cellLatenessAndDropJsonFieldsSql = sql`
  'late_days', cell.late_days, 'late_deduction', cell.late_deduction::float8, 'is_dropped', ${isDropped}`;

/** Without empty fields: there are many cells. Named people have no values from anonymous work. */
const cellJson = (() => {
  const usual = sql`'score', cell.score::float8, 'state', upper(cell.state), 'version', cell.version`;
  return sql`case when item.hides_people and not item.by_code then '{"score": null, "state": "ANONYMOUS", "version": 0}'::json
    when cell.late_days > 0 or ${isDropped} then json_build_object(${usual}, ${cellLatenessAndDropJsonFieldsSql})
    else json_build_object(${usual}) end`;
})();

/** Null while the grade is open. */
export const finalGradeJsonSql = sql`
  case when own.graded_at is not null then json_build_object(
    'final_score', own.final_score::float8, 'letter_grade', own.letter_grade, 'passed', own.passed,
    'graded_at', ${momentForm(sql`own.graded_at`)}, 'is_outdated', own.outdated_at is not null) end`;

const Row = z.object({ gradebook: Gradebook });

/**
 * People who have or had a seat, in each graded item; for one anonymous item, its codes. One statement for
 * any class size. 404, or 403 unless staff.
 */
export async function readGradebook(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  query: Omit<GradebookQuery, "format">,
): Promise<Gradebook> {
  const [row] = await rowsOf(db, Row, gradebookStatement(actor, offeringId, query));
  return row?.gradebook ?? explainOfferingRefusal(db, actor, offeringId);
}

const everyone = {
  id: createSortKey(sql`everyone.id`, "integer"),
  full_name: [createSortKey(sql`everyone.search_text`, "text")],
  email: [createSortKey(sql`coalesce(everyone.email, '')`, "text")],
  family_name: [
    createSortKey(sql`everyone.family_key`, "text"),
    createSortKey(sql`everyone.search_text`, "text"),
  ],
  external_id: [createSortKey(sql`coalesce(everyone.external_id, '')`, "text")],
};

function gradebookStatement(
  actor: Actor,
  offeringId: number,
  { q, external_id, sort, skip, limit, group_id, content_item_id }: Omit<GradebookQuery, "format">,
): SQL {
  const { order } = createPageQuery({ skip, limit }, sortKeysForParameter(sort, everyone, everyone.id));
  const isPart = [q, external_id, group_id, content_item_id].some((one) => one !== undefined);
  const coded = codesOf(content_item_id);
  return sql`
    with permitted as materialized (${permittedOfferingQuery(actor, "grade:read", offeringId)}),
    item as materialized (
      select graded.*, ${anonymousGradingCondition({ offering: sql`permitted.offering_id`, item: sql`graded.item_id` })} as hides_people,
             ${content_item_id !== undefined}::boolean as by_code
      from permitted cross join lateral gradebook_items_of_offering(permitted.offering_id) as graded
      where ${content_item_id ?? null}::int is null or graded.item_id = ${content_item_id ?? null}::int
    ), everyone as ${isPart ? sql`materialized` : sql`not materialized`} (
      select users.id, coalesce(name_at_university(member), ${nameOnRecord}) as full_name, users.email,
             users.erased_at is not null as is_erased, enrollments.status, member.given_name, member.family_name,
             coalesce(searched(member.family_name), '') as family_key,
             coalesce(${memberNameSearchTextSql}, users.search_text) as search_text,
             ${latestExternalIdSql(enrollments.university_id, enrollments.user_id)} as external_id,
             ${coded.code} as code, ${coded.isHidden} as is_hidden
      from permitted
      join enrollments on enrollments.course_offering_id = permitted.offering_id and enrollments.is_admitted
      join users on users.id = enrollments.user_id
      ${memberJoinSql(enrollments.university_id, enrollments.user_id)}
      ${coded.join}
      where ${and(
        coded.isThere(group_id !== undefined || external_id !== undefined),
        groupMemberCondition(group_id, enrollments.course_offering_id, enrollments.user_id),
        external_id === undefined
          ? undefined
          : sql`${enrollments.user_id} = ${personIdByExternalIdSql(enrollments.university_id, external_id)}`,
        containsAllWordsCondition(coded.searched, q),
      )}
    ), person as materialized (
      select everyone.*, row_number() over (order by ${coded.order}${order}) as line from (
        select everyone.* from everyone order by ${coded.order}${order} offset ${skip}
        limit least(${limit}::bigint, greatest(1, ${maxGradebookCellsPerPage} / greatest(1, (select count(*) from item))))
      ) as everyone
    ), cells as materialized (
      select cell.user_id,
             json_agg(${cellJson} order by item.place) as cells
      from permitted
      cross join lateral gradebook_cells_with_weights_and_drops(permitted.offering_id, array(select id from person), false, false) as cell
      join item on item.item_id = cell.item_id
      left join course_grades as own on own.course_offering_id = permitted.offering_id and own.user_id = cell.user_id
      group by cell.user_id
    ), line as (
      select person.line, case when person.is_hidden then ${codeLine} else json_build_object(
        'user_id', person.id, 'code', person.code, 'full_name', person.full_name, 'external_id', person.external_id,
        'given_name', person.given_name, 'family_name', person.family_name, 'email', person.email,
        'is_erased', person.is_erased, 'status', upper(person.status),
        'cells', coalesce(cells.cells, '[]'),
        'current_percent', total.current_percent::float8,
        'current_letter', letter_grade(scheme.letter_scale, total.current_percent),
        'final_percent', total.final_percent::float8, 'score_override', own.score_override::float8,
        'version', coalesce(own.version, 0), 'final', ${finalGradeJsonSql}, 'lms', coalesce(lms.told, '[]')) end as told
      from permitted
      join effective_schemes as scheme on scheme.course_offering_id = permitted.offering_id
      cross join person
      left join cells on cells.user_id = person.id
      left join course_grades as own
        on own.course_offering_id = permitted.offering_id and own.user_id = person.id
      left join current_and_final_course_percents((select offering_id from permitted), array(select id from person), false, true) as total
        on total.user_id = person.id
      left join (${ltiScoreStatesQuery(sql`(select offering_id from permitted)`, sql`array(select id from person)`)}) as lms
        on lms.user_id = person.id
    )
    select json_build_object(
      'course_offering_id', permitted.offering_id,
      'columns', (select coalesce(json_agg(json_build_object(${gradedItemJsonFieldsSql(sql`permitted.offering_id`)}) order by item.place), '[]') from item),
      'rows', (select coalesce(json_agg(told order by line), '[]') from line),
      'total', (${isPart ? sql`select count(*) from everyone` : countAdmitted(sql`permitted.offering_id`)})) as gradebook
    from permitted`;
}

/** States of grades in an LMS: WAITS (also just after grading), REFUSED, or SENT. */
export const ltiScoreStatesQuery = (offering: SQL, people: SQL): SQL => sql`
  select learner.user_id, json_agg(json_build_object(
    'content_item_id', link.content_item_id, 'module_id', link.module_id,
    'state', case when standing.waits then 'WAITS' when score.is_refused then 'REFUSED' else 'SENT' end,
    'reason', case when standing.waits then coalesce(score.failure, pause.failure) else score.failure end,
    'sent_at', format_api_timestamp(score.sent_at)) order by link.id) as told
  from lti_contexts as context
  join lti_links as link on link.context_id = context.id
  join lti_scores as score on score.link_id = link.id
  join lti_people as learner on learner.id = score.person_id and learner.user_id = any (${people})
  left join lti_service_pauses as pause on pause.platform_id = context.platform_id
  cross join lateral (
    select score.due_at is not null or exists (
      select from lti_score_marks as mark
      where mark.course_offering_id = ${offering} and coalesce(mark.user_id, learner.user_id) = learner.user_id
        and (link.content_item_id is null or coalesce(mark.content_item_id, link.content_item_id) = link.content_item_id)
    ) as waits
  ) as standing
  where context.course_offering_id = ${offering} and (standing.waits or score.is_refused or score.sent_at is not null)
  group by learner.user_id`;

const codeLine = sql`json_build_object(
  'user_id', null, 'code', person.code, 'full_name', null, 'external_id', null, 'given_name', null, 'family_name', null,
  'email', null, 'is_erased', false, 'status', null, 'cells', coalesce(cells.cells, '[]'), 'current_percent', null,
  'current_letter', null, 'final_percent', null, 'score_override', null, 'version', 0, 'final', null, 'lms', '[]'::json)`;

/**
 * Adds one item's codes. While people are hidden, searches and sorts by code only; other filters have no
 * result.
 */
function codesOf(item: number | undefined) {
  const searched = memberSearchTextSql(enrollments.university_id, enrollments.user_id);
  if (item === undefined)
    return {
      ...{ code: sql`null::text`, isHidden: sql`false`, join: sql``, order: sql``, searched },
      isThere: () => sql`true`,
    };
  const isHidden = sql`coalesce((select item.hides_people from item), false)`;
  return {
    code: sql`coded.code`,
    isHidden,
    join: sql`left join anonymous_codes as coded on coded.course_offering_id = permitted.offering_id
      and coded.content_item_id = ${item} and coded.user_id = users.id`,
    order: sql`case when everyone.is_hidden then everyone.code end, `,
    searched: sql`case when ${isHidden} then searched(coded.code) else ${searched} end`,
    isThere: (isNarrowed: boolean) =>
      sql`(not ${isHidden} or (coded.code is not null and not ${isNarrowed}::boolean))`,
  };
}

const countAdmitted = (offering: SQL): SQL =>
  sql`select count(*) from enrollments where course_offering_id = ${offering} and is_admitted`;

const heading = ["user_id", "full_name", "email"];
const totals = [
  ...["current_percent", "current_letter", "final_percent", "final_score", "letter_grade"],
  ...["external_id", "given_name", "family_name"],
  "is_erased",
  "version",
];

/**
 * Each item's column begins with its id; `EX` means excused. With the cells' versions, an import detects
 * later changes.
 */
export function gradebookCsv({ columns, rows }: Gradebook): string {
  const items = columns.map(({ content_item_id, title }) => `${content_item_id} ${title}`);
  const scores = (row: (typeof rows)[number]) =>
    row.cells.map(({ score, state }) => (state === "EXCUSED" ? "EX" : score));
  const versions = (row: (typeof rows)[number]) =>
    formatCellVersions(
      row.cells.map(({ version }, at) => ({ version, content_item_id: columns[at]?.content_item_id ?? 0 })),
    );
  if (rows.some(({ user_id }) => user_id === null))
    return csvText([
      ["code", ...items, "version"],
      ...rows.map((row) => [row.code, ...scores(row), versions(row)]),
    ]);
  const lines = rows.map((row) => [
    ...[row.user_id, row.full_name, row.email],
    ...scores(row),
    ...[row.current_percent, row.current_letter, row.final_percent],
    ...[row.final?.final_score, row.final?.letter_grade],
    ...[row.external_id, row.given_name, row.family_name, row.is_erased || undefined],
    versions(row),
  ]);
  return csvText([[...heading, ...items, ...totals], ...lines]);
}
