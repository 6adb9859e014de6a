import { sql } from "drizzle-orm";
import {
  type ClassCollection,
  matchesSourcedId,
  numbersInSourcedId,
  withinOneClass,
} from "./class-collection.ts";
import { type Collection, numberInSourcedId, resourceBase } from "./collection.ts";
import { commonFilters } from "./common-filters.ts";
import { type OneRosterFilter, parseOneRosterFilter } from "./filter.ts";
import { categories, lineItems, scoreScales } from "./line-items.ts";
import { universityId } from "./organizations.ts";
import { unknownObject } from "./protocol.ts";
import { existsCondition, type Selection } from "./read-resources.ts";
import { results } from "./results.ts";
import { classes, classId } from "./teaching.ts";

/** The rows of all classes of a university, or a selection with a total. */
export type GradebookList = Selection | { across: ClassCollection };

const collections: Readonly<Record<string, ClassCollection>> = {
  categories,
  lineItems,
  results,
  scoreScales,
};

/** Assessments outside of classes do not exist here. */
const emptyCollection = (many: string, one: string): Collection => ({
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

const emptyCollections: Readonly<Record<string, Collection>> = {
  assessmentLineItems: emptyCollection("assessmentLineItems", "assessmentLineItem"),
  assessmentResults: emptyCollection("assessmentResults", "assessmentResult"),
};

export const gradebookCollectionNames = [...Object.keys(collections), ...Object.keys(emptyCollections)];

function classCollection(name: string): ClassCollection {
  const found = Object.hasOwn(collections, name) ? collections[name] : undefined;
  if (!found) throw unknownObject();
  return found;
}

/** Throws 404 for another id. */
function offeringOf(classSourcedId: string): number {
  const offering = numberInSourcedId("class", classSourcedId);
  if (offering === undefined) throw unknownObject();
  return offering;
}

const withinClass = (name: string, classSourcedId: string, university: number): Selection => ({
  collection: withinOneClass(classCollection(name), offeringOf(classSourcedId)),
  parents: [existsCondition(classes, classSourcedId, university)],
});

/** Of one class if the filter names it, or an id that begins with it. */
export function gradebookCollection(
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
export function gradebookCollectionOf(name: string, sourcedId: string): Selection {
  const empty = Object.hasOwn(emptyCollections, name) ? emptyCollections[name] : undefined;
  if (empty) return { collection: empty };
  const collection = classCollection(name);
  const [offering = 0] = numbersInSourcedId(collection.one, sourcedId) ?? [];
  return { collection: withinOneClass(collection, offeringOf(classId(offering))) };
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
  if (!isOfSchool || sourcedId !== universityId(university)) throw unknownObject();
  return gradebookCollection(nested, filter, university);
}

export function resultsWithinClass(
  classSourcedId: string,
  inner: string,
  innerSourcedId: string,
  university: number,
): Selection {
  const ofClass = withinClass("results", classSourcedId, university);
  if (inner === "students") {
    const person = numberInSourcedId("user", innerSourcedId);
    if (person === undefined) throw unknownObject();
    const isEnrolled = sql`exists (select from enrollments as seat
      where seat.course_offering_id = ${offeringOf(classSourcedId)} and seat.user_id = ${person} and seat.is_admitted)`;
    return {
      ...ofClass,
      condition: sql`one.person_id = ${person}`,
      parents: [...(ofClass.parents ?? []), isEnrolled],
    };
  }
  if (inner !== "lineItems") throw unknownObject();
  const items = withinOneClass(lineItems, offeringOf(classSourcedId));
  return {
    ...ofClass,
    condition: sql`'lineItem-' || one.class_id || '-' || one.item_id = ${innerSourcedId}`,
    parents: [...(ofClass.parents ?? []), existsCondition(items, innerSourcedId, university)],
  };
}
