import {
  and,
  eq,
  getTableColumns,
  type InferInsertModel,
  type InferSelectModel,
  isNotNull,
  isNull,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { ResourceName } from "../../error-codes.ts";
import { forbidden, notFound } from "../../errors.ts";
import { can, ensurePermission } from "../../identity/rbac/policy.ts";
import { permissionConditionsByScope, type RoleHolder } from "../../identity/rbac/scopes.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import {
  containsAllWordsCondition,
  type SearchAndSort,
  sortKeysForParameter,
} from "../../platform/db/query/search-and-sort.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import {
  type CatalogCrud,
  type ColumnValues,
  equalColumnsCondition,
  type SearchAndSortQuery,
} from "./crud.ts";

type Owned = PgTable & { id: PgColumn; university_id: PgColumn; updated_at: PgColumn };

type Shared = { is_shared?: boolean | undefined };

type Owner = { university_id?: number | null | undefined };

/**
 * Rows of a university or the platform. Staff reads and writes its university's rows and reads the
 * platform's; platform_admins write those. 404 for invisible rows, 403 for read-only ones. The owner is
 * fixed.
 */
export function universityOrPlatformCrudFactory<T extends Owned, Name extends string>(
  table: T,
  resource: ResourceName,
  kind: "asset" | "module-template",
  { searched, sorts }: SearchAndSort<Name>,
) {
  type Row = Omit<InferSelectModel<T>, "search_text">;
  type Create = InferInsertModel<T> & Owner;
  type Change = { [Name in keyof InferInsertModel<T>]?: InferInsertModel<T>[Name] | undefined };
  const rows: Owned = table;
  const { search_text: _, ...columns } = getTableColumns(rows);
  const first = ([row]: object[]): Row => {
    if (!row) throw notFound(resource);
    return row as Row;
  };

  const sharing = (isShared: boolean | undefined): SQL | undefined =>
    isShared === undefined
      ? undefined
      : isShared
        ? isNull(rows.university_id)
        : isNotNull(rows.university_id);

  return (caller: RoleHolder) => {
    const allowing = (what: "read" | "write"): SQL[] => {
      const roles = caller?.roles ?? [];
      const ofPlatform = can(roles, `shared-${what}`) ? [isNull(rows.university_id)] : [];
      return [...ofPlatform, ...permissionConditionsByScope(caller, `${kind}:${what}`, rows.university_id)];
    };
    const at = (id: number, what: "read" | "write") =>
      and(eq(rows.id, id), or(...allowing(what)) ?? sql`false`);
    const get = async (db: ReadDb, id: number) =>
      first(await db.select(columns).from(rows).where(at(id, "read")));
    const explainRefusal = async (db: Db, id: number): Promise<never> => {
      await get(db, id);
      throw forbidden();
    };

    return {
      get,
      async list(db, { q, sort, skip, limit, after, is_shared, ...values }) {
        const page = createPageQuery({ skip, limit, after }, sortKeysForParameter(sort, sorts, rows.id));
        const wanted = and(
          equalColumnsCondition(rows, values),
          sharing(is_shared),
          containsAllWordsCondition(searched, q),
        );
        const listed = await db
          .select({ ...columns, page_key: page.key })
          .from(rows)
          .where(page.whereAny(rows, allowing("read"), wanted))
          .orderBy(page.order)
          .offset(page.skip)
          .limit(page.limit);
        return page.part(listed) as ListPage<unknown> as ListPage<Row>;
      },
      async create(db, input) {
        const university_id = input.university_id ?? null;
        ensurePermission({ roles: caller?.roles ?? [] }, university_id ? `${kind}:write` : "shared-write", {
          university_id,
        });
        return first(await db.insert(rows).values(input).returning(columns));
      },
      async update(db, id, change) {
        const set = db.update(rows).set(partialUpdateValues(change, rows)).where(at(id, "write"));
        const [row] = await set.returning(columns);
        return row ? (row as Row) : explainRefusal(db, id);
      },
      async remove(db, id) {
        const removed = await db.delete(rows).where(at(id, "write")).returning({ id: rows.id });
        if (removed.length === 0) await explainRefusal(db, id);
      },
    } satisfies CatalogCrud<Row, Create, Change, SearchAndSortQuery<Name> & ColumnValues<Row> & Shared>;
  };
}
