import type { SQL } from "drizzle-orm";
import type { FilterFields } from "./filter.ts";

export type Reference = { href: string; sourcedId: string; type: string };

export type Resource = {
  sourcedId: string;
  status: "active" | "tobedeleted";
  dateLastModified: string;
} & Record<string, unknown>;

export type ResourceRow = { sourced_id: string; is_active: boolean; modified: string };

/** Addresses of both services, and the caller's university. */
export type ServiceUrlsAndUniversity = { rostering: string; gradebook: string; university: number };

/**
 * `source` selects rows `one` with sourced_id, id, is_active, changed_at and columns for conditions on fields that filter
 * and sort name. `lookups` and `joins` are columns and joins of a page's rows.
 */
export type CollectionDefinition = {
  many: string;
  one: string;
  source: (university: number, named: ReadonlySet<string>) => SQL;
  lookups: SQL;
  joins?: SQL;
  names: readonly string[];
  filters: FilterFields;
  /** Undefined for an id of another type. */
  matches: (sourcedId: string) => SQL | undefined;
  toResource: (row: never, service: ServiceUrlsAndUniversity) => Resource;
};

/** 7 in `course-7`; undefined for other ids. */
export function numberInSourcedId(prefix: string, sourcedId: string): number | undefined {
  const [, digits = ""] = /^[a-zA-Z]+-([1-9]\d{0,9})$/.exec(sourcedId) ?? [];
  const number = Number(digits);
  return sourcedId === `${prefix}-${digits}` && number <= 2_147_483_647 ? number : undefined;
}

export const resourceBase = ({ sourced_id, is_active, modified }: ResourceRow): Resource => ({
  sourcedId: sourced_id,
  status: is_active ? "active" : "tobedeleted",
  dateLastModified: modified,
});

const paths = {
  org: "orgs",
  academicSession: "academicSessions",
  course: "courses",
  class: "classes",
  user: "users",
  student: "users",
} as const;

export const rosteringReference = (
  { rostering }: ServiceUrlsAndUniversity,
  type: keyof typeof paths,
  sourcedId: string,
): Reference => ({ href: `${rostering}/${paths[type]}/${sourcedId}`, sourcedId, type });
