import type * as z from "zod";
import type { anyone, may } from "../../lib/auth/guards.ts";
import type { Verbs } from "../../lib/catalog/verbs.ts";
import { created, type Endpoint, endpoint, noContent, ok } from "../../lib/http/endpoint.ts";
import { listOf, pathIds } from "../../schema/api/fields.ts";

/** A resource that belongs to no university: where it is, who may call, its shapes, and what is done with it. */
type Resource<Row, Create, Update, Query> = {
  path: `/${string}`;
  id: `${string}_id`;
  one: string;
  many: string;
  readers: typeof anyone | ReturnType<typeof may>;
  writers: ReturnType<typeof may>;
  shape: z.ZodType<unknown, Row>;
  create: z.ZodType<Create>;
  update: z.ZodType<Update>;
  query: z.ZodObject & z.ZodType<Query>;
  verbs: Verbs<Row, Create, Update, Query>;
};

/** The five operations of such a resource: list, read, create, change, delete. */
export function resource<Row, Create, Update, Query>(
  of: Resource<Row, Create, Update, Query>,
): readonly Endpoint[] {
  const { path, id, one, many, verbs } = of;
  const params = pathIds(id);
  const all = `${path}/`;
  const single = `${path}/{${id}}`;
  // Validation has seen to it that the path's parameter is there.
  const idIn = (params: Record<string, number>) => params[id] as number;

  return [
    endpoint(
      {
        method: "get",
        path: all,
        summary: `List the ${many}`,
        ...of.readers,
        query: of.query,
        ...ok(listOf(of.shape), "By id"),
      },
      ({ deps, query }) => verbs.list(deps.db, query),
    ),
    endpoint(
      {
        method: "post",
        path: all,
        summary: `Create ${one}`,
        ...of.writers,
        body: of.create,
        ...created(of.shape, "As created"),
        fails: [400],
      },
      ({ deps, body }) => verbs.create(deps.db, body),
    ),
    endpoint(
      {
        method: "get",
        path: single,
        summary: `Read ${one}`,
        ...of.readers,
        params,
        ...ok(of.shape, "As stored"),
        fails: [404],
      },
      ({ deps, params }) => verbs.get(deps.db, idIn(params)),
    ),
    endpoint(
      {
        method: "put",
        path: single,
        summary: `Change ${one}`,
        ...of.writers,
        params,
        body: of.update,
        ...ok(of.shape, "As changed"),
        fails: [400, 404],
      },
      ({ deps, params, body }) => verbs.update(deps.db, idIn(params), body),
    ),
    endpoint(
      {
        method: "delete",
        path: single,
        summary: `Delete ${one}`,
        ...of.writers,
        params,
        ...noContent("Deleted"),
        fails: [400, 404],
      },
      ({ deps, params }) => verbs.remove(deps.db, idIn(params)),
    ),
  ];
}
