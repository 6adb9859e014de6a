import * as z from "zod";

const defaultPageItems = 100;
/** A client may add its own `limit` to the offset, so a larger one is an error instead of a shortened page. */
const maxPageItems = 5000;

const FieldNames = z.string().max(1000);

export const OneRosterItemQuery = z.object({ fields: FieldNames.optional() });

/** Query parameters of a collection (OneRoster 1.2, 3.4). */
export const OneRosterQuery = z.object({
  limit: z.coerce.number().int().min(1).max(maxPageItems).default(defaultPageItems),
  offset: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
  sort: z.string().max(100).optional(),
  orderBy: z.enum(["asc", "desc"]).default("asc"),
  filter: z.string().max(1000).optional(),
  fields: FieldNames.optional(),
  /** The last sourcedId of the page before, in lists of a whole university's gradebook. Part of `next` links. */
  after: z.string().max(64).optional(),
});

export const OneRosterCollectionPath = z.object({ collection: z.string() });
export const OneRosterItemPath = z.object({ collection: z.string(), sourced_id: z.string() });
export const OneRosterNestedPath = z.object({ ...OneRosterItemPath.shape, nested: z.string() });
export const OneRosterInnerPath = z.object({
  ...OneRosterNestedPath.shape,
  nested_id: z.string(),
  inner: z.string(),
});

export type OneRosterItemQuery = z.output<typeof OneRosterItemQuery>;
export type OneRosterQuery = z.output<typeof OneRosterQuery>;
