import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type {
  Department,
  DepartmentCreate,
  DepartmentQuery,
  DepartmentUpdate,
} from "../../schema/api/departments.ts";
import { departments } from "../../schema/db/departments.ts";
import { universities } from "../../schema/db/universities.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db, ReadDb } from "../db/client.ts";
import { jsonListIn } from "../db/query/json-rows.ts";
import { pageOf } from "../db/query/page.ts";
import { partialUpdate } from "../db/query/partial-update.ts";
import { has, listedBy, orderOf, searchedWithCode } from "../db/query/search-and-sort.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Action } from "../rbac/policy.ts";
import { mayAt } from "../rbac/scopes.ts";
import type { JsonListPage } from "../results/json-list-page.ts";
import { ensureIn, getUniversity, throwMissingUniversity } from "./universities.ts";

const columns = getTableColumns(departments);

/** Where a department is: its id counts in its own university only. */
export type DepartmentPath = { university_id: number; department_id: number };

const { searched, sorts } = listedBy(searchedWithCode(departments.name, departments.code), "name", {
  code: [departments.code],
});

/** A university's departments that are asked for; 404 when there is no such university. */
export async function listDepartments(
  db: ReadDb,
  universityId: number,
  { q, sort, ...window }: DepartmentQuery,
): Promise<JsonListPage<Department>> {
  const found = await jsonListIn<Department>(
    db,
    sql`${universities} where ${universities.id} = ${universityId}`,
    pageOf(window, orderOf(sort, sorts, departments.id)).rows(
      columns,
      sql`${departments}`,
      and(eq(departments.university_id, universityId), has(searched, q)),
    ),
  );
  if (!found) throw notFound("University");
  return found;
}

/** A department; 404 when the university has none of that id. */
export async function getDepartment(db: ReadDb, path: DepartmentPath): Promise<Department> {
  const [department] = await db.select(columns).from(departments).where(at(path));
  return department ?? missing(db, path);
}

/** Creates a department; 403 without the right there, 400 when the university has its code already. */
export async function createDepartment(
  db: Db,
  actor: Actor,
  universityId: number,
  input: DepartmentCreate,
): Promise<Department> {
  await ensureIn(db, actor, "department:create", universityId);
  const [department] = await db
    .insert(departments)
    .values({ ...input, university_id: universityId })
    .returning(columns)
    .catch(throwMissingUniversity);
  if (!department) throw notFound("Department");
  return department;
}

/** Changes a department; absent fields keep their values. Its own department_admin may do so as well. */
export async function updateDepartment(
  db: Db,
  actor: Actor,
  path: DepartmentPath,
  change: DepartmentUpdate,
): Promise<Department> {
  const [department] = await db
    .update(departments)
    .set(partialUpdate(change, departments))
    .where(and(at(path), allowing(actor, "department:update")))
    .returning(columns);
  return department ?? explainRefusal(db, path);
}

/** Deletes a department with the roles bound to it; 400 while it has courses. */
export async function deleteDepartment(db: Db, actor: Actor, path: DepartmentPath): Promise<void> {
  const deleted = await db
    .delete(departments)
    .where(and(at(path), allowing(actor, "department:delete")))
    .returning({ id: departments.id });
  if (deleted.length === 0) await explainRefusal(db, path);
}

const at = ({ university_id, department_id }: DepartmentPath): SQL | undefined =>
  and(eq(departments.id, department_id), eq(departments.university_id, university_id));

const allowing = (actor: Actor, action: Action): SQL =>
  mayAt(actor, action, departments.university_id, departments.id);

/** Departments are open to all: one that is there and was not written is a 403. */
async function explainRefusal(db: Db, path: DepartmentPath): Promise<never> {
  await getDepartment(db, path);
  throw forbidden();
}

/** Says which part of the path leads nowhere. */
async function missing(db: ReadDb, { university_id }: DepartmentPath): Promise<never> {
  await getUniversity(db, university_id);
  throw notFound("Department");
}
