import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type {
  Department,
  DepartmentCreate,
  DepartmentQuery,
  DepartmentUpdate,
} from "../../../schema/api/identity/departments.ts";
import { departments } from "../../../schema/db/identity/departments.ts";
import { universities } from "../../../schema/db/identity/universities.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import {
  containsAllWordsCondition,
  searchAndSortBy,
  searchTextWithCodeSql,
  sortKeysForParameter,
} from "../../platform/db/query/search-and-sort.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import type { Actor } from "../auth/actor.ts";
import type { PolicyAction } from "../rbac/policy.ts";
import { permissionCondition } from "../rbac/scopes.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "./universities.ts";

const columns = getTableColumns(departments);

/** A department's id is valid only within its university. */
export type DepartmentPath = { university_id: number; department_id: number };

const { searched, sorts } = searchAndSortBy(
  searchTextWithCodeSql(departments.name, departments.code),
  "name",
  {
    code: [departments.code],
  },
);

/** 404 without the university. */
export async function listDepartments(
  db: ReadDb,
  universityId: number,
  { q, sort, ...window }: DepartmentQuery,
): Promise<JsonListPage<Department>> {
  const found = await queryJsonPageOfOwner<Department>(
    db,
    sql`${universities} where ${universities.id} = ${universityId}`,
    createPageQuery(window, sortKeysForParameter(sort, sorts, departments.id)).rows(
      columns,
      sql`${departments}`,
      and(eq(departments.university_id, universityId), containsAllWordsCondition(searched, q)),
    ),
  );
  if (!found) throw notFound("University");
  return found;
}

/** 404 if the university has none with that id. */
export async function getDepartment(db: ReadDb, path: DepartmentPath): Promise<Department> {
  const [department] = await db.select(columns).from(departments).where(at(path));
  return department ?? missing(db, path);
}

/** 403 without the right, 400 if the code is taken. */
export async function createDepartment(
  db: Db,
  actor: Actor,
  universityId: number,
  input: DepartmentCreate,
): Promise<Department> {
  await ensureAllowedInUniversity(db, actor, "department:create", universityId);
  const [department] = await db
    .insert(departments)
    .values({ ...input, university_id: universityId })
    .returning(columns)
    .catch(rethrowMissingUniversityAsNotFound);
  if (!department) throw notFound("Department");
  return department;
}

/** Absent fields are unchanged. Its own department_admin may do so too. */
export async function updateDepartment(
  db: Db,
  actor: Actor,
  path: DepartmentPath,
  change: DepartmentUpdate,
): Promise<Department> {
  const [department] = await db
    .update(departments)
    .set(partialUpdateValues(change, departments))
    .where(and(at(path), allowing(actor, "department:update")))
    .returning(columns);
  return department ?? explainRefusal(db, path);
}

/** Deletes its roles too; 400 while it has courses. */
export async function deleteDepartment(db: Db, actor: Actor, path: DepartmentPath): Promise<void> {
  const deleted = await db
    .delete(departments)
    .where(and(at(path), allowing(actor, "department:delete")))
    .returning({ id: departments.id });
  if (deleted.length === 0) await explainRefusal(db, path);
}

const at = ({ university_id, department_id }: DepartmentPath): SQL | undefined =>
  and(eq(departments.id, department_id), eq(departments.university_id, university_id));

const allowing = (actor: Actor, action: PolicyAction): SQL =>
  permissionCondition(actor, action, departments.university_id, departments.id);

/** Departments are public, so an existing one that was not written is a 403. */
async function explainRefusal(db: Db, path: DepartmentPath): Promise<never> {
  await getDepartment(db, path);
  throw forbidden();
}

/** A 404 for the university or the department. */
async function missing(db: ReadDb, { university_id }: DepartmentPath): Promise<never> {
  await getUniversity(db, university_id);
  throw notFound("Department");
}
