import { type SQL, sql } from "drizzle-orm";
import {
  type CollectionDefinition,
  numberInSourcedId,
  type Reference,
  type ServiceUrlsAndUniversity,
} from "./collection.ts";
import { commonFilters } from "./common-filters.ts";
import type { FilterField, FilterFields, Predicate } from "./filter.ts";

/* Each id of the gradebook begins with the class, such as `result-7-12-3` for class, item and person. */

/**
 * A collection of the gradebook. `select` is the source, from classes `run`, with class_id, and with id and part as the
 * order within a class. A class without `mayHaveRows` has none.
 */
export type ClassCollection = Omit<CollectionDefinition, "source"> & {
  select: (classes: SQL, named: ReadonlySet<string>) => SQL;
  mayHaveRows: SQL;
};

/** Of one class, if the university has it. */
export const withinOneClass = (collection: ClassCollection, offering: number): CollectionDefinition => ({
  ...collection,
  source: (university, named) =>
    collection.select(
      sql`(select * from course_offerings where id = ${offering} and university_id = ${university}) as run`,
      named,
    ),
});

export const matchesSourcedId = (sourcedId: string): SQL => sql`one.sourced_id = ${sourcedId}`;

export const gradebookReference = (
  { gradebook }: ServiceUrlsAndUniversity,
  type: "category" | "lineItem",
  sourcedId: string,
): Reference => ({
  href: `${gradebook}/${type === "category" ? "categories" : "lineItems"}/${sourcedId}`,
  sourcedId,
  type,
});

/** The numbers in an id such as `lineItem-7-12`; undefined for ids of another type. */
export function numbersInSourcedId(type: string, sourcedId: string): number[] | undefined {
  const [prefix, ...digits] = sourcedId.split("-");
  const isValid = digits.length > 0 && digits.every((one) => /^(0|[1-9]\d{0,9})$/.test(one));
  return isValid && prefix?.toLowerCase() === type.toLowerCase() ? digits.map(Number) : undefined;
}

const ofClassNamed = (type: string): NonNullable<FilterField["ofClass"]> => {
  const inClass = (sourcedId: string) =>
    sql`run.id = ${numbersInSourcedId(type, sourcedId)?.[0] ?? 0}::bigint`;
  return (_, { operator, operand }) => (operator === "=" ? inClass(operand) : undefined);
};

/** A field whose values are ids that begin with the class. */
export const idField = (type: string, value: SQL): FilterField => ({
  kind: "text",
  value,
  ofClass: ofClassNamed(type),
});

export const classField = idField("class", sql`'class-' || one.class_id`);

/** Rows are never `tobedeleted`. `changedSince` says that something in class `run` changed at a moment that matches. */
export const commonClassFilters = (
  type: string,
  changedSince: (matches: (moment: SQL) => SQL) => SQL,
): FilterFields => ({
  sourcedId: { ...commonFilters.sourcedId, ofClass: ofClassNamed(type) },
  status: { ...commonFilters.status, ofClass: (matches) => matches(sql`'active'::text`) },
  dateLastModified: {
    ...commonFilters.dateLastModified,
    ofClass: (matches, predicate) => (isSince(predicate) ? changedSince(matches) : undefined),
  },
});

export const isSince = ({ operator }: Predicate): boolean => operator === ">" || operator === ">=";

/** That the person has a seat in class `run`. */
export const classOfPersonCondition = (sourcedId: string): SQL => sql`run.id in (
  select course_offering_id from enrollments
  where user_id = ${numberInSourcedId("user", sourcedId.toLowerCase()) ?? 0} and is_admitted)`;
