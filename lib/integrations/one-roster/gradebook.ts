import { sql } from "drizzle-orm";
import {
  type ClassCollection,
  matchesSourcedId,
  numbersInSourcedId,
  withinOneClass,
} from "./class-collection.ts";
import { type CollectionDefinition, numberInSourcedId, resourceBase } from "./collection.ts";
import { commonFilters } from "./common-filters.ts";
import { type OneRosterFilter, parseOneRosterFilter } from "./filter.ts";
import { categories, lineItems, scoreScales } from "./line-items.ts";
import { toUniversitySourcedId } from "./organizations.ts";
import { unknownObjectError } from "./protocol.ts";
import { type FilteredCollection, resourceExistsCondition } from "./read-resources.ts";
import { results } from "./results.ts";
import { classesCollection, toClassSourcedId } from "./teaching.ts";

/** The rows of all classes of a university, or a selection with a total. */
export type GradebookList = FilteredCollection | { across: ClassCollection };

const collections: Readonly<Record<string, ClassCollection>> = {
  categories,
  lineItems,
  results,
  scoreScales,
};

/** Assessments outside of classes do not exist here. */
const emptyCollection = (many: string, one: string): CollectionDefinition => ({
  many,
  one,
  source: () => sql`
    select null::text as sourced_id, 0 as id, true as is_active, null::timestamptz as changed_at where false`,
  lookups: sql`one.id as number`,
  names: [],
  filters: commonFilters,
  matches: matchesSourcedId,
  toResource: resourceBase,
});

const emptyCollections: Readonly<Record<string, CollectionDefinition>> = {
  assessmentLineItems: emptyCollection("assessmentLineItems", "assessmentLineItem"),
  assessmentResults: emptyCollection("assessmentResults", "assessmentResult"),
};

export const gradebookCollectionNames = [...Object.keys(collections), ...Object.keys(emptyCollections)];

function classCollection(name: string): ClassCollection {
  const found = Object.hasOwn(collections, name) ? collections[name] : undefined;
  if (!found) throw unknownObjectError();
  return found;
}

/** Throws 404 for another id. */
function offeringOf(classSourcedId: string): number {
  const offering = numberInSourcedId("class", classSourcedId);
  if (offering === undefined) throw unknownObjectError();
  return offering;
}

const withinClass = (name: string, classSourcedId: string, university: number): FilteredCollection => ({
  collection: withinOneClass(classCollection(name), offeringOf(classSourcedId)),
  parents: [resourceExistsCondition(classesCollection, classSourcedId, university)],
});

/** Of one class if the filter names it, or an id that begins with it. */
export function gradebookCollectionByClassFilter(
  name: string,
  filter: string | undefined,
  university: number,
): GradebookList {
  const empty = Object.hasOwn(emptyCollections, name) ? emptyCollections[name] : undefined;
  if (empty) return { collection: empty };
  const across = classCollection(name);
  const named = idInFilter(parseOneRosterFilter(filter), across.one);
  if (named === undefined) return { across };
  if (named.field === "class.sourcedId") return withinClass(name, named.operand, university);
  const [offering = 0] = numbersInSourcedId(named.type, named.operand) ?? [];
  return { collection: withinOneClass(across, Math.min(offering, 2_147_483_647)) };
}

/** A predicate that all rows must match, with an id that has the class. */
function idInFilter({ predicates, isAny }: OneRosterFilter, type: string) {
  if (isAny && predicates.length > 1) return undefined;
  const types: Readonly<Record<string, string>> = {
    "class.sourcedId": "class",
    sourcedId: type,
    ...(type === "result" && { "lineItem.sourcedId": "lineItem" }),
  };
  return predicates
    .filter(({ field, operator }) => operator === "=" && Object.hasOwn(types, field))
    .map(({ field, operand }) => ({ field, operand, type: types[field] ?? "" }))
    .at(0);
}

/** The class is in the id. */
export function gradebookCollectionForSourcedId(name: string, sourcedId: string): FilteredCollection {
  const empty = Object.hasOwn(emptyCollections, name) ? emptyCollections[name] : undefined;
  if (empty) return { collection: empty };
  const collection = classCollection(name);
  const [offering = 0] = numbersInSourcedId(collection.one, sourcedId) ?? [];
  return { collection: withinOneClass(collection, offeringOf(toClassSourcedId(offering))) };
}

/** Of a class, or of the university as the only school. */
export function nestedGradebookCollection(
  parent: string,
  sourcedId: string,
  nested: string,
  filter: string | undefined,
  university: number,
): GradebookList {
  if (parent === "classes") return withinClass(nested, sourcedId, university);
  const isOfSchool = parent === "schools" && (nested === "lineItems" || nested === "scoreScales");
  if (!isOfSchool || sourcedId !== toUniversitySourcedId(university)) throw unknownObjectError();
  return gradebookCollectionByClassFilter(nested, filter, university);
}

export function resultsWithinClass(
  classSourcedId: string,
  inner: string,
  innerSourcedId: string,
  university: number,
): FilteredCollection {
  const ofClass = withinClass("results", classSourcedId, university);
  if (inner === "students") {
    const person = numberInSourcedId("user", innerSourcedId);
    if (person === undefined) throw unknownObjectError();
    const isEnrolled = sql`exists (select from enrollments as seat
      where seat.course_offering_id = ${offeringOf(classSourcedId)} and seat.user_id = ${person} and seat.is_admitted)`;
    return {
      ...ofClass,
      condition: sql`one.person_id = ${person}`,
      parents: [...(ofClass.parents ?? []), isEnrolled],
    };
  }
  if (inner !== "lineItems") throw unknownObjectError();
  const items = withinOneClass(lineItems, offeringOf(classSourcedId));
  return {
    ...ofClass,
    condition: sql`'lineItem-' || one.class_id || '-' || one.item_id = ${innerSourcedId}`,
    parents: [...(ofClass.parents ?? []), resourceExistsCondition(items, innerSourcedId, university)],
  };
}
