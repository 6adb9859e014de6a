import type { SQL } from "drizzle-orm";
import type { FilterFields } from "./filter.ts";

export type Reference = { href: string; sourcedId: string; type: string };

/** A resource in JSON. */
export type Resource = {
  sourcedId: string;
  status: "active" | "tobedeleted";
  dateLastModified: string;
} & Record<string, unknown>;

/** Columns of every page row. `modified` is `changed_at` in ISO 8601. */
export type ResourceRow = { sourced_id: string; is_active: boolean; modified: string };

/** The address of a service, such as `…/ims/oneroster/rostering/v1p2`, and the caller's university. */
export type Service = { rostering: string; gradebook: string; university: number };

/**
 * Resources of one type. `source` selects rows `one` with sourced_id, id, is_active, changed_at and the columns that
 * conditions use. `lookups` are further columns, read only for the rows of a page.
 */
export type Collection = {
  many: string;
  one: string;
  source: (university: number) => SQL;
  lookups: SQL;
  /** Top-level fields in JSON, for `fields`. */
  names: readonly string[];
  filters: FilterFields;
  /** The row of an id; undefined if it cannot be one of this type. */
  matches: (sourcedId: string) => SQL | undefined;
  toResource: (row: never, service: Service) => Resource;
};

/** The number in an id such as `course-7`; undefined for other ids. */
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
  { rostering }: Service,
  type: keyof typeof paths,
  sourcedId: string,
): Reference => ({ href: `${rostering}/${paths[type]}/${sourcedId}`, sourcedId, type });
