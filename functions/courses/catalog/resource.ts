import type * as z from "zod";
import type { CatalogCrud } from "../../../lib/courses/catalog/crud.ts";
import type { ErrorCode } from "../../../lib/error-codes.ts";
import type { ErrorStatus } from "../../../lib/errors.ts";
import { created, type Endpoint, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import type { anyone, permittedTo } from "../../../lib/identity/auth/guards.ts";
import type { RoleHolder } from "../../../lib/identity/rbac/scopes.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

type Resource<Row, Create, Update, Query> = {
  path: `/${string}`;
  id: `${string}_id`;
  readers: typeof anyone | ReturnType<typeof permittedTo>;
  writers: ReturnType<typeof permittedTo>;
  shape: z.ZodType<unknown, Row>;
  create: z.ZodType<Create>;
  update: z.ZodType<Update>;
  query: z.ZodObject & z.ZodType<Query>;
  /** Error codes of database constraints for writes and deletes. */
  constraints: { written: readonly ErrorCode[]; deleted: readonly ErrorCode[] };
  crud: (caller: RoleHolder) => CatalogCrud<Row, Create, Update, Query>;
};

/** Operation ids from the nouns: `listCountries`, `createCountry` … */
type Ids<One extends string, Many extends string> =
  | `list${Many}`
  | `${"create" | "get" | "update" | "delete"}${One}`;

export function createCrudEndpoints<
  const One extends string,
  const Many extends string,
  Row,
  Create,
  Update,
  Query,
>(
  nouns: { one: One; many: Many },
  of: Resource<Row, Create, Update, Query>,
): Record<Ids<One, Many>, Endpoint> {
  const { path, id, crud } = of;
  const one = `a ${inWords(nouns.one)}`;
  const many = inWords(nouns.many);
  const params = pathIds(id);
  const all = `${path}/`;
  const single = `${path}/{${id}}`;
  // Validation guarantees the path parameter.
  const idIn = (params: Record<string, number>) => params[id] as number;

  const endpoints = [
    endpoint(
      {
        id: `list${nouns.many}`,
        method: "get",
        path: all,
        changesSeldom: true,
        summary: `List ${many}`,
        ...of.readers,
        query: of.query,
        ...ok(listOf(of.shape), "Sorted by id"),
      },
      ({ deps, actor, query }) => crud(actor).list(deps.db, query),
    ),
    endpoint(
      {
        id: `create${nouns.one}`,
        method: "post",
        path: all,
        summary: `Create ${one}`,
        ...of.writers,
        body: of.create,
        ...created(of.shape, "The created record"),
        ...refusing(of.constraints.written),
      },
      ({ deps, actor, body }) => crud(actor).create(deps.db, body),
    ),
    endpoint(
      {
        id: `get${nouns.one}`,
        method: "get",
        path: single,
        changesSeldom: true,
        summary: `Read ${one}`,
        ...of.readers,
        params,
        ...ok(of.shape, "The record"),
        fails: [404],
      },
      ({ deps, actor, params }) => crud(actor).get(deps.db, idIn(params)),
    ),
    endpoint(
      {
        id: `update${nouns.one}`,
        method: "put",
        path: single,
        summary: `Update ${one}`,
        ...of.writers,
        params,
        body: of.update,
        ...ok(of.shape, "The updated record"),
        ...refusing(of.constraints.written, 404),
      },
      ({ deps, actor, params, body }) => crud(actor).update(deps.db, idIn(params), body),
    ),
    endpoint(
      {
        id: `delete${nouns.one}`,
        method: "delete",
        path: single,
        summary: `Delete ${one}`,
        ...of.writers,
        params,
        ...noContent("Deleted"),
        ...refusing(of.constraints.deleted, 404),
      },
      ({ deps, actor, params }) => crud(actor).remove(deps.db, idIn(params)),
    ),
  ];
  const byId = endpoints.map((one) => [one.contract.id, one]);
  return Object.fromEntries(byId) as Record<Ids<One, Many>, Endpoint>;
}

/** A 400 with these codes, if there are any, and further statuses. */
const refusing = (codes: readonly ErrorCode[], ...statuses: ErrorStatus[]) =>
  codes.length > 0 ? { fails: [400, ...statuses] as const, refuses: { 400: codes } } : { fails: statuses };

/** Splits a noun: `ContentTypes` becomes `content types`. */
const inWords = (noun: string): string => noun.replaceAll(/(?!^)[A-Z]/g, " $&").toLowerCase();
