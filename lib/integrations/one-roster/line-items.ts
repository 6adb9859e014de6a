import { type SQL, sql } from "drizzle-orm";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import {
  type ClassCollection,
  classField,
  commonClassFilters,
  gradebookReference,
  matchesSourcedId,
} from "./class-collection.ts";
import { type ResourceRow, resourceBase, rosteringReference } from "./collection.ts";
import type { FilterFields } from "./filter.ts";
import { toUniversitySourcedId } from "./organizations.ts";
import { toClassSourcedId, toTermSourcedId } from "./teaching.ts";

const schemeChangedAt = sql`coalesce(
  (select updated_at from grading_schemes where course_offering_id = run.id), run.updated_at)`;

type CategoryRow = ResourceRow & { class_id: number; title: string; weight: number | null };

/** Number 0 is for items in no group. */
export const categories: ClassCollection = {
  many: "categories",
  one: "category",
  select: (classes) => sql`
    select 'category-' || run.id || '-' || place as sourced_id, place::int as id, 0 as part, true as is_active,
           ${schemeChangedAt} as changed_at, category.title, category.weight, run.id as class_id
    from ${classes}
    cross join lateral (
      select 0 as place, 'Coursework' as title, null::numeric as weight
      union all
      select listed.place, listed.item ->> 'name', (listed.item ->> 'weight')::numeric
      from grading_schemes as scheme
      cross join lateral jsonb_array_elements(scheme.groups) with ordinality as listed (item, place)
      where scheme.course_offering_id = run.id
    ) as category`,
  mayHaveRows: sql`true`,
  lookups: sql`one.title, one.weight::float8 as weight, one.class_id`,
  names: ["title", "weight"],
  filters: {
    ...commonClassFilters("category", (matches) => matches(schemeChangedAt)),
    // A category costs little to read.
    title: { kind: "text", value: sql`one.title`, ofClass: () => sql`true` },
    "class.sourcedId": classField,
  },
  matches: matchesSourcedId,
  toResource: (row: CategoryRow) => ({
    ...resourceBase(row),
    title: row.title,
    ...(row.weight !== null && { weight: row.weight }),
  }),
};

type LineItemRow = ResourceRow & {
  class_id: number;
  title: string;
  max_points: number | null;
  assigned_at: string;
  due_at: string | null;
  category: number;
  term_id: number | null;
};

/** That class `run` has an active item for which `condition` on `content_items` holds. */
const hasItem = (condition: SQL): SQL => sql`exists (
  select from content_items where course_id = run.course_id and is_active and ${condition} offset 0)`;

export const lineItems: ClassCollection = {
  many: "lineItems",
  one: "lineItem",
  select: (classes) => sql`
    select 'lineItem-' || run.id || '-' || item.item_id as sourced_id, item.item_id as id, 0 as part, true as is_active,
           greatest(content.updated_at, run.updated_at) as changed_at, item.title, item.max_points,
           content.created_at as assigned_at, coalesce(item.due_at, run.ends_at) as due_at, item.group_name,
           run.id as class_id, run.term_id
    from ${classes}
    cross join lateral gradebook_items_of_offering(run.id) as item
    cross join lateral (
      select updated_at, created_at from content_items where content_items.id = item.item_id offset 0
    ) as content`,
  mayHaveRows: hasItem(sql`true`),
  lookups: sql`
    one.title, one.max_points::float8 as max_points, ${momentForm(sql`one.assigned_at`)} as assigned_at,
    ${momentForm(sql`one.due_at`)} as due_at, one.class_id, one.term_id, coalesce((
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
    ...commonClassFilters(
      "lineItem",
      (matches) =>
        sql`(${matches(sql`run.updated_at`)} or ${hasItem(matches(sql`content_items.updated_at`))})`,
    ),
    title: {
      kind: "text",
      value: sql`one.title`,
      ofClass: (matches) => hasItem(matches(sql`content_items.title`)),
    },
    dueDate: { kind: "moment", value: sql`one.due_at` },
    assignDate: {
      kind: "moment",
      value: sql`one.assigned_at`,
      ofClass: (matches) => hasItem(matches(sql`content_items.created_at`)),
    },
    "class.sourcedId": classField,
  },
  matches: matchesSourcedId,
  toResource: (row: LineItemRow, service) => ({
    ...resourceBase(row),
    title: row.title,
    assignDate: row.assigned_at,
    ...(row.due_at !== null && { dueDate: row.due_at }),
    class: rosteringReference(service, "class", toClassSourcedId(row.class_id)),
    school: rosteringReference(service, "org", toUniversitySourcedId(service.university)),
    category: gradebookReference(service, "category", `category-${row.class_id}-${row.category}`),
    ...(row.term_id !== null && {
      academicSession: rosteringReference(service, "academicSession", toTermSourcedId(row.term_id)),
    }),
    ...(row.max_points !== null && { resultValueMin: 0, resultValueMax: row.max_points }),
  }),
};

type ScoreScaleRow = ResourceRow & {
  class_id: number;
  course_id: number;
  letters: { letter: string; min_percent: number }[];
};

const scoreScaleFilters: FilterFields = {
  ...commonClassFilters("scoreScale", (matches) => matches(schemeChangedAt)),
  "class.sourcedId": classField,
};

/** The letters of a class's final grades, each with its lowest percentage. */
export const scoreScales: ClassCollection = {
  many: "scoreScales",
  one: "scoreScale",
  select: (classes) => sql`
    select 'scoreScale-' || run.id as sourced_id, 0 as id, 0 as part, true as is_active, ${schemeChangedAt} as changed_at,
           run.id as class_id, run.course_id
    from ${classes}`,
  mayHaveRows: sql`true`,
  lookups: sql`one.class_id, one.course_id, (
    select letter_scale from effective_schemes where course_offering_id = one.class_id) as letters`,
  names: ["title", "type", "course", "class", "scoreScaleValue"],
  filters: scoreScaleFilters,
  matches: matchesSourcedId,
  toResource: (row: ScoreScaleRow, service) => ({
    ...resourceBase(row),
    title: "Final grade",
    type: "letter",
    course: rosteringReference(service, "course", `course-${row.course_id}`),
    class: rosteringReference(service, "class", toClassSourcedId(row.class_id)),
    scoreScaleValue: row.letters.map(({ letter, min_percent }) => ({
      itemValueLHS: letter,
      itemValueRHS: String(min_percent),
    })),
  }),
};
