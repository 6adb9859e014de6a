import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Gradebook, type GradebookQuery } from "../../schema/api/grades.ts";
import { momentForm } from "../../schema/db/columns.ts";
import { enrollments } from "../../schema/db/enrollments.ts";
import { nameOnRecord } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import { explainOfferingRefusal, permittedOffering } from "../courses/permitted-offering.ts";
import type { ReadDb } from "../db/client.ts";
import { keyOf, pageOf } from "../db/query/page.ts";
import { rowsOf } from "../db/query/rows.ts";
import { has, orderOf } from "../db/query/search-and-sort.ts";
import { csvText } from "../readers/csv.ts";
import { externalId, joinMember, searchedThere } from "../users/name-there.ts";
import { writeVersions } from "./cell-versions.ts";

/** The cells of an answer: some 2 MB of JSON. */
const mostCells = 60_000;

/** The columns of a gradebook, as JSON; `item` is a row of `graded_items`. */
export const gradedItem = sql`
  'content_item_id', item.item_id, 'title', item.title, 'content_type', item.content_type,
  'max_points', item.max_points::float8, 'extra_points', (item.most_points - item.max_points)::float8, 'due_at', ${momentForm(sql`item.due_at`)}, 'group_name', item.group_name,
  'counts', item.weight is not null, 'is_released', item.released`;

/** A final grade as JSON, null while it is open; `own` is a row of `course_grades`. */
export const finalGrade = sql`
  case when own.graded_at is not null then json_build_object(
    'final_score', own.final_score::float8, 'letter_grade', own.letter_grade, 'passed', own.passed,
    'graded_at', ${momentForm(sql`own.graded_at`)}, 'is_outdated', own.outdated_at is not null) end`;

const Row = z.object({ gradebook: Gradebook });

/**
 * Everyone's grades in an offering: those who have or had a place and are asked for, and how they stand with each item
 * that is graded. In one statement, whatever the size of the class. 404, or 403 for who is not staff of the course.
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
  id: keyOf(sql`everyone.id`, "integer"),
  full_name: [keyOf(sql`everyone.search_text`, "text")],
  email: [keyOf(sql`everyone.email`, "text")],
  family_name: [keyOf(sql`everyone.family_key`, "text"), keyOf(sql`everyone.search_text`, "text")],
  external_id: [keyOf(sql`coalesce(everyone.external_id, '')`, "text")],
};

function gradebookStatement(
  actor: Actor,
  offeringId: number,
  { q, sort, skip, limit }: Omit<GradebookQuery, "format">,
): SQL {
  const { order } = pageOf({ skip, limit }, orderOf(sort, everyone, everyone.id));
  return sql`
    with permitted as materialized (${permittedOffering(actor, "grade:read", offeringId)}),
    item as materialized (
      select graded.* from permitted cross join lateral graded_items(permitted.offering_id) as graded
    ), everyone as ${q ? sql`materialized` : sql`not materialized`} (
      select users.id, coalesce(name_there(member), ${nameOnRecord}) as full_name, users.email,
             users.erased_at is not null as is_erased, enrollments.status, member.given_name, member.family_name,
             coalesce(searched(member.family_name), '') as family_key,
             coalesce(search_text_there(member), users.search_text) as search_text,
             ${externalId(enrollments.university_id, enrollments.user_id)} as external_id
      from permitted
      join enrollments on enrollments.course_offering_id = permitted.offering_id and enrollments.is_admitted
      join users on users.id = enrollments.user_id
      ${joinMember(enrollments.university_id, enrollments.user_id)}
      where ${and(sql`true`, has(searchedThere(enrollments.university_id, enrollments.user_id), q))}
    ), person as materialized (
      select everyone.*, row_number() over (order by ${order}) as line from (
        select everyone.* from everyone order by ${order} offset ${skip}
        limit least(${limit}::bigint, greatest(1, ${mostCells} / greatest(1, (select count(*) from item))))
      ) as everyone
    ), cells as materialized (
      select cell.user_id,
             json_agg(json_build_object('score', cell.score::float8, 'state', upper(cell.state), 'version', cell.version) order by item.place) as cells
      from permitted
      cross join lateral grade_cells(permitted.offering_id, array(select id from person)) as cell
      join item on item.item_id = cell.item_id
      group by cell.user_id
    ), line as (
      select person.line, json_build_object(
        'user_id', person.id, 'full_name', person.full_name, 'external_id', person.external_id,
        'given_name', person.given_name, 'family_name', person.family_name, 'email', person.email,
        'is_erased', person.is_erased, 'status', upper(person.status),
        'cells', coalesce(cells.cells, '[]'),
        'current_percent', total.current_percent::float8,
        'current_letter', letter_of(scheme.letter_scale, total.current_percent),
        'final_percent', total.final_percent::float8, 'score_override', own.score_override::float8,
        'version', coalesce(own.version, 0), 'final', ${finalGrade}) as told
      from permitted
      cross join lateral grading_of(permitted.offering_id) as scheme
      cross join person
      left join cells on cells.user_id = person.id
      left join course_grades as own
        on own.course_offering_id = permitted.offering_id and own.user_id = person.id
      left join grade_totals((select offering_id from permitted), array(select id from person), false) as total
        on total.user_id = person.id
    )
    select json_build_object(
      'course_offering_id', permitted.offering_id,
      'columns', (select coalesce(json_agg(json_build_object(${gradedItem}) order by item.place), '[]') from item),
      'rows', (select coalesce(json_agg(told order by line), '[]') from line),
      'total', (${q ? sql`select count(*) from everyone` : countAdmitted(sql`permitted.offering_id`)})) as gradebook
    from permitted`;
}

/** How many have or had a place, which needs nobody's name. */
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
 * A gradebook as CSV: a line for each person, a column for each item that begins with its id, `EX` for who is excused, and
 * at the end the versions of the cells, by which an import knows what has changed since.
 */
export function gradebookCsv({ columns, rows }: Gradebook): string {
  const items = columns.map(({ content_item_id, title }) => `${content_item_id} ${title}`);
  const lines = rows.map((row) => [
    ...[row.user_id, row.full_name, row.email],
    ...row.cells.map(({ score, state }) => (state === "EXCUSED" ? "EX" : score)),
    ...[row.current_percent, row.current_letter, row.final_percent],
    ...[row.final?.final_score, row.final?.letter_grade],
    ...[row.external_id, row.given_name, row.family_name, row.is_erased || undefined],
    writeVersions(
      row.cells.map(({ version }, at) => ({ version, content_item_id: columns[at]?.content_item_id ?? 0 })),
    ),
  ]);
  return csvText([[...heading, ...items, ...totals], ...lines]);
}
