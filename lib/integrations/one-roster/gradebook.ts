import { type SQL, sql } from "drizzle-orm";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import {
  type CollectionDefinition,
  numberInSourcedId,
  type Reference,
  type ResourceRow,
  resourceBase,
  rosteringReference,
  type ServiceUrlsAndUniversity,
} from "./collection.ts";
import { commonFilters } from "./common-filters.ts";
import { parseOneRosterFilter } from "./filter.ts";
import { toUniversitySourcedId } from "./organizations.ts";
import { toUserSourcedId } from "./people.ts";
import { OneRosterError, unknownObjectError } from "./protocol.ts";
import { type FilteredCollection, resourceExistsCondition } from "./read-resources.ts";
import { classesCollection, toClassSourcedId, toTermSourcedId } from "./teaching.ts";

/* Each id begins with the class, such as `result-7-12-3` for class, item and person. */

const gradebookReference = (
  { gradebook }: ServiceUrlsAndUniversity,
  type: "category" | "lineItem",
  sourcedId: string,
): Reference => ({
  href: `${gradebook}/${type === "category" ? "categories" : "lineItems"}/${sourcedId}`,
  sourcedId,
  type,
});

const matches = (sourcedId: string): SQL => sql`one.sourced_id = ${sourcedId}`;

type CategoryRow = ResourceRow & { title: string; weight: number | null };

/** Number 0 is for items in no group. */
const categoriesOf = (offering: number): CollectionDefinition => ({
  many: "categories",
  one: "category",
  source: (university) => sql`
    select 'category-' || run.id || '-' || place as sourced_id, place::int as id, true as is_active,
           coalesce(scheme.updated_at, run.updated_at) as changed_at, title, weight
    from course_offerings as run
    left join grading_schemes as scheme on scheme.course_offering_id = run.id
    cross join lateral (
      select 0 as place, 'Coursework' as title, null::numeric as weight
      union all
      select listed.place, listed.item ->> 'name', (listed.item ->> 'weight')::numeric
      from jsonb_array_elements(scheme.groups) with ordinality as listed (item, place)
    ) as category
    where run.id = ${offering} and run.university_id = ${university}`,
  lookups: sql`one.title, one.weight::float8 as weight`,
  names: ["title", "weight"],
  filters: { ...commonFilters, title: { kind: "text", value: sql`one.title` } },
  matches,
  toResource: (row: CategoryRow) => ({
    ...resourceBase(row),
    title: row.title,
    ...(row.weight !== null && { weight: row.weight }),
  }),
});

type LineItemRow = ResourceRow & {
  title: string;
  max_points: number | null;
  assigned_at: string;
  due_at: string | null;
  category: number;
  term_id: number | null;
};

const lineItemsOf = (offering: number): CollectionDefinition => ({
  many: "lineItems",
  one: "lineItem",
  source: (university) => sql`
    select 'lineItem-' || run.id || '-' || item.item_id as sourced_id, item.item_id as id, true as is_active,
           greatest(content.updated_at, run.updated_at) as changed_at, item.title, item.max_points,
           content.created_at as assigned_at, coalesce(item.due_at, run.ends_at) as due_at, item.group_name,
           run.id as class_id, run.term_id
    from course_offerings as run
    cross join lateral gradebook_items_of_offering(run.id) as item
    join content_items as content on content.id = item.item_id
    where run.id = ${offering} and run.university_id = ${university}`,
  lookups: sql`
    one.title, one.max_points::float8 as max_points, ${momentForm(sql`one.assigned_at`)} as assigned_at,
    ${momentForm(sql`one.due_at`)} as due_at, one.term_id, coalesce((
      select listed.place from grading_schemes as scheme
      cross join lateral jsonb_array_elements(scheme.groups) with ordinality as listed (item, place)
      where scheme.course_offering_id = one.class_id and listed.item ->> 'name' = one.group_name limit 1), 0) as category`,
  names: [
    "title",
    "assignDate",
    "dueDate",
    "class",
    "school",
    "category",
    "academicSession",
    "resultValueMin",
    "resultValueMax",
  ],
  filters: {
    ...commonFilters,
    title: { kind: "text", value: sql`one.title` },
    dueDate: { kind: "moment", value: sql`one.due_at` },
    assignDate: { kind: "moment", value: sql`one.assigned_at` },
    "class.sourcedId": { kind: "text", value: sql`'class-' || one.class_id` },
  },
  matches,
  toResource: (row: LineItemRow, service) => ({
    ...resourceBase(row),
    title: row.title,
    assignDate: row.assigned_at,
    ...(row.due_at !== null && { dueDate: row.due_at }),
    class: rosteringReference(service, "class", toClassSourcedId(offering)),
    school: rosteringReference(service, "org", toUniversitySourcedId(service.university)),
    category: gradebookReference(service, "category", `category-${offering}-${row.category}`),
    ...(row.term_id !== null && {
      academicSession: rosteringReference(service, "academicSession", toTermSourcedId(row.term_id)),
    }),
    ...(row.max_points !== null && { resultValueMin: 0, resultValueMax: row.max_points }),
  }),
});

const lastGraded = sql`greatest(
  (select max(released_at) from grade_releases
   where course_offering_id = run.id and content_item_id = cell.item_id),
  (select max(changed_at) from grade_changes
   where course_offering_id = run.id and content_item_id = cell.item_id and user_id = cell.user_id),
  (select max(updated_at) from item_grades
   where course_offering_id = run.id and content_item_id = cell.item_id and user_id = cell.user_id),
  (select max(greatest(started_at, submitted_at)) from quiz_attempts
   where course_offering_id = run.id and content_item_id = cell.item_id and user_id = cell.user_id),
  (select max(greatest(submitted_at, graded_at, returned_at)) from lab_submissions
   where course_offering_id = run.id and content_item_id = cell.item_id and user_id = cell.user_id),
  (select max(greatest(started_at, committed_at)) from scorm_attempts
   where course_offering_id = run.id and content_item_id = cell.item_id and user_id = cell.user_id),
  run.created_at)`;

type ResultRow = ResourceRow & {
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

/** Results of people with a seat, in items whose grades are released. */
const resultsOf = (offering: number): CollectionDefinition => ({
  many: "results",
  one: "result",
  source: (university) => sql`
    select concat_ws('-', 'result', run.id, cell.item_id, cell.user_id) as sourced_id, cell.user_id as id,
           true as is_active, ${lastGraded} as changed_at, cell.item_id, cell.user_id as person_id, cell.score, cell.state,
           run.id as class_id
    from course_offerings as run
    cross join lateral (
      select array_agg(seat.user_id) as people from enrollments as seat
      where seat.course_offering_id = run.id and seat.is_admitted
    ) as class
    cross join lateral gradebook_cells_of_people(run.id, class.people) as cell
    where run.id = ${offering} and run.university_id = ${university} and cell.state <> 'none'
      and cell.item_id in (select item.item_id from gradebook_items_of_offering(${offering}) as item where item.released)`,
  lookups: sql`one.item_id, one.person_id, one.score::float8 as score, one.state`,
  names: ["lineItem", "student", "class", "scoreStatus", "score", "scoreDate"],
  filters: {
    ...commonFilters,
    score: { kind: "number", value: sql`one.score` },
    scoreDate: { kind: "date", value: sql`(one.changed_at at time zone 'UTC')::date` },
    "class.sourcedId": { kind: "text", value: sql`'class-' || one.class_id` },
    "lineItem.sourcedId": { kind: "text", value: sql`'lineItem-' || one.class_id || '-' || one.item_id` },
    "student.sourcedId": { kind: "text", value: sql`'user-' || one.person_id` },
  },
  matches,
  toResource: (row: ResultRow, service) => ({
    ...resourceBase(row),
    lineItem: gradebookReference(service, "lineItem", `lineItem-${offering}-${row.item_id}`),
    student: rosteringReference(service, "user", toUserSourcedId(row.person_id)),
    class: rosteringReference(service, "class", toClassSourcedId(offering)),
    scoreStatus: scoreStatuses.get(row.state) ?? "submitted",
    ...(row.score !== null && { score: row.score }),
    scoreDate: row.modified.slice(0, 10),
  }),
});

const collections = { categories: categoriesOf, lineItems: lineItemsOf, results: resultsOf };

function collectionOf(name: string, offering: number): CollectionDefinition {
  if (!Object.hasOwn(collections, name)) throw unknownObjectError();
  return collections[name as keyof typeof collections](offering);
}

/** Throws 404 for another id. */
function offeringOf(classSourcedId: string): number {
  const offering = numberInSourcedId("class", classSourcedId);
  if (offering === undefined) throw unknownObjectError();
  return offering;
}

const withinClass = (name: string, classSourcedId: string, university: number): FilteredCollection => ({
  collection: collectionOf(name, offeringOf(classSourcedId)),
  parents: [resourceExistsCondition(classesCollection, classSourcedId, university)],
});

/** The filter must name a class: a whole university's list would compute every grade. */
export function gradebookCollectionByClassFilter(
  name: string,
  filter: string | undefined,
  university: number,
): FilteredCollection {
  if (!Object.hasOwn(collections, name)) throw unknownObjectError();
  const { predicates, isAny } = parseOneRosterFilter(filter);
  const named = predicates.find(({ field, operator }) => field === "class.sourcedId" && operator === "=");
  if (!named || isAny)
    throw new OneRosterError(
      400,
      "invalid_filter_field",
      "The filter must name a class, as in class.sourcedId='class-7', or use /classes/{sourcedId}",
    );
  return withinClass(name, named.operand, university);
}

/** The class is in the id. */
export function gradebookCollectionForSourcedId(name: string, sourcedId: string): FilteredCollection {
  const [, offering = ""] = /^[a-zA-Z]+-([1-9]\d{0,9})-/.exec(sourcedId) ?? [];
  return { collection: collectionOf(name, offeringOf(toClassSourcedId(Number(offering)))) };
}

export const classGradebookCollection = withinClass;

export function resultsWithinClass(
  classSourcedId: string,
  inner: string,
  innerSourcedId: string,
  university: number,
): FilteredCollection {
  const results = withinClass("results", classSourcedId, university);
  if (inner === "students") {
    const person = numberInSourcedId("user", innerSourcedId);
    if (person === undefined) throw unknownObjectError();
    const isEnrolled = sql`exists (select from enrollments as seat
      where seat.course_offering_id = ${offeringOf(classSourcedId)} and seat.user_id = ${person} and seat.is_admitted)`;
    return {
      ...results,
      condition: sql`one.person_id = ${person}`,
      parents: [...(results.parents ?? []), isEnrolled],
    };
  }
  if (inner !== "lineItems") throw unknownObjectError();
  const lineItems = collectionOf("lineItems", offeringOf(classSourcedId));
  return {
    ...results,
    condition: sql`'lineItem-' || one.class_id || '-' || one.item_id = ${innerSourcedId}`,
    parents: [...(results.parents ?? []), resourceExistsCondition(lineItems, innerSourcedId, university)],
  };
}
