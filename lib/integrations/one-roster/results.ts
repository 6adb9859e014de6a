import { type SQL, sql } from "drizzle-orm";
import {
  type ClassCollection,
  classField,
  classOfPersonCondition,
  commonClassFilters,
  gradebookReference,
  idField,
  isSince,
  matchesSourcedId,
} from "./class-collection.ts";
import { type ResourceRow, resourceBase, rosteringReference } from "./collection.ts";
import { toUserSourcedId } from "./people.ts";
import { toClassSourcedId } from "./teaching.ts";

/** Work and grades in class `run`. Rows for which `counts` give the cell a state other than `none` in grade_cells. */
const workOfClass = sql`
  select user_id, content_item_id as item_id, is_excused or score_override is not null as counts, updated_at as changed_at
  from item_grades where course_offering_id = run.id
  union all
  select user_id, content_item_id, case when score_obtained is null then submitted_at is not null else max_score <> 0 end,
         greatest(started_at, submitted_at)
  from quiz_attempts where course_offering_id = run.id
  union all
  select user_id, content_item_id, true, greatest(submitted_at, graded_at, returned_at)
  from lab_submissions where course_offering_id = run.id
  union all
  select user_id, content_item_id, score_scaled is not null, greatest(started_at, committed_at)
  from scorm_attempts where course_offering_id = run.id
  union all
  select user_id, content_item_id, false, changed_at
  from grade_changes where course_offering_id = run.id and content_item_id is not null`;

/** Cells with a result, of people with a seat, in items whose grades are released. Computes no score. */
const releasedCells = sql`
  with released as materialized (select item_id from gradebook_items_of_offering(run.id) where released)
  select work.user_id, work.item_id, greatest(max(work.changed_at), max(release.released_at), run.created_at) as changed_at
  from (${workOfClass}) as work
  join released on released.item_id = work.item_id
  join enrollments as seat
    on seat.course_offering_id = run.id and seat.user_id = work.user_id and seat.is_admitted
  left join grade_releases as release
    on release.course_offering_id = run.id and release.content_item_id = work.item_id
  group by work.user_id, work.item_id
  having bool_or(work.counts)`;

/** The same with scores, for filters on the score. */
const scoredCells = sql`
  select cell.*
  from (
    select array_agg(seat.user_id) as people from enrollments as seat
    where seat.course_offering_id = run.id and seat.is_admitted
  ) as class
  cross join lateral (
    select released_cell.*, scored.score as known_score from (${releasedCells}) as released_cell
    join gradebook_cells_of_people(run.id, class.people) as scored
      on scored.item_id = released_cell.item_id and scored.user_id = released_cell.user_id
  ) as cell`;

/** Of a page's people only. */
const gradesOfPage = sql`
  join (
    select class.class_id, cell.user_id, cell.item_id, cell.score, cell.state
    from (select class_id, array_agg(distinct person_id) as people from page group by class_id) as class
    cross join lateral gradebook_cells_of_people(class.class_id, class.people) as cell offset 0
  ) as grade on grade.class_id = one.class_id and grade.user_id = one.person_id and grade.item_id = one.item_id`;

const changedSince = (matches: (moment: SQL) => SQL): SQL => sql`(${matches(sql`run.created_at`)} or exists (
  select from (
    ${workOfClass}
    union all
    select null, null, false, released_at from grade_releases where course_offering_id = run.id
  ) as work where ${matches(sql`work.changed_at`)}))`;

const dayOf = (moment: SQL): SQL => sql`(${moment} at time zone 'UTC')::date`;

type ResultRow = ResourceRow & {
  class_id: number;
  item_id: number;
  person_id: number;
  score: number | null;
  state: string;
};

const scoreStatuses = new Map([
  ["excused", "exempt"],
  ["overridden", "fully graded"],
  ["graded", "fully graded"],
]);

export const results: ClassCollection = {
  many: "results",
  one: "result",
  select: (classes, named) => sql`
    select concat_ws('-', 'result', run.id, cell.item_id, cell.user_id) as sourced_id, cell.user_id as id,
           cell.item_id as part, true as is_active, cell.changed_at, cell.item_id, cell.user_id as person_id,
           run.id as class_id, ${named.has("score") ? sql`cell.known_score` : sql`null::numeric`} as known_score
    from ${classes}
    cross join lateral (${named.has("score") ? scoredCells : releasedCells}) as cell`,
  mayHaveRows: sql`(
    exists (select from grade_releases where course_offering_id = run.id offset 0)
    or exists (
      select from grading_schemes where course_offering_id = run.id and release_mode = 'automatic' offset 0)
  ) and exists (select from (${workOfClass}) as work where work.counts)`,
  lookups: sql`one.class_id, one.item_id, one.person_id, grade.score::float8 as score, grade.state`,
  joins: gradesOfPage,
  names: ["lineItem", "student", "class", "scoreStatus", "score", "scoreDate"],
  filters: {
    ...commonClassFilters("result", changedSince),
    score: { kind: "number", value: sql`one.known_score` },
    scoreDate: {
      kind: "date",
      value: dayOf(sql`one.changed_at`),
      ofClass: (matches, predicate) =>
        isSince(predicate) ? changedSince((moment) => matches(dayOf(moment))) : undefined,
    },
    "class.sourcedId": classField,
    "lineItem.sourcedId": idField("lineItem", sql`'lineItem-' || one.class_id || '-' || one.item_id`),
    "student.sourcedId": {
      kind: "text",
      value: sql`'user-' || one.person_id`,
      ofClass: (_, { operator, operand }) => (operator === "=" ? classOfPersonCondition(operand) : undefined),
    },
  },
  matches: matchesSourcedId,
  toResource: (row: ResultRow, service) => ({
    ...resourceBase(row),
    lineItem: gradebookReference(service, "lineItem", `lineItem-${row.class_id}-${row.item_id}`),
    student: rosteringReference(service, "user", toUserSourcedId(row.person_id)),
    class: rosteringReference(service, "class", toClassSourcedId(row.class_id)),
    scoreStatus: scoreStatuses.get(row.state) ?? "submitted",
    ...(row.score !== null && { score: row.score }),
    scoreDate: row.modified.slice(0, 10),
  }),
};
