import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  QuestionPool,
  QuestionPoolCreate,
  QuestionPoolQuery,
  QuestionPoolUpdate,
} from "../../schema/api/assessment/question-pools.ts";
import { questionPools } from "../../schema/db/assessment/questions.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { coursePermissionCondition, visibleCourseCondition } from "../courses/course-permissions.ts";
import {
  type PoolAction,
  poolPermissionCondition,
  poolScopeSqlArguments,
} from "../courses/question-pools.ts";
import { badRequest, fieldValueMessagePlaceholders, forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { ensurePermission } from "../identity/rbac/policy.ts";
import { permissionConditionsByScope } from "../identity/rbac/scopes.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { createPageQuery } from "../platform/db/query/page.ts";
import { partialUpdateValues } from "../platform/db/query/partial-update.ts";
import { typedSql } from "../platform/db/query/rows.ts";
import {
  containsAllWordsCondition,
  searchAndSortBy,
  sortKeysForParameter,
} from "../platform/db/query/search-and-sort.ts";
import { constraintViolationIn } from "../platform/db/query/violations.ts";
import type { ListPage } from "../platform/results/list-page.ts";

const { search_text, ...columns } = getTableColumns(questionPools);

export const permittedPoolCondition = (actor: Actor, action: PoolAction, poolId: number): SQL =>
  sql`(${eq(questionPools.id, poolId)} and ${poolPermissionCondition(actor, action)})`;

const { searched, sorts } = searchAndSortBy(search_text, "title");

export async function listPools(
  db: ReadDb,
  actor: Actor,
  { q, university_id, course_id, sort, ...window }: QuestionPoolQuery,
): Promise<ListPage<QuestionPool>> {
  const page = createPageQuery(window, sortKeysForParameter(sort, sorts, questionPools.id));
  const wanted = and(
    university_id ? eq(questionPools.university_id, university_id) : undefined,
    course_id ? eq(questionPools.course_id, course_id) : undefined,
    containsAllWordsCondition(searched, q),
  );
  const rows = await db
    .select({ ...columns, page_key: page.key })
    .from(questionPools)
    .where(
      page.whereAny(
        questionPools,
        permissionConditionsByScope(actor, "question:read", ...poolScopeSqlArguments),
        wanted,
      ),
    )
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows);
}

/** 404 if there is none that the caller may read. */
export async function getPool(db: ReadDb, actor: Actor, poolId: number): Promise<QuestionPool> {
  const [pool] = await db
    .select(columns)
    .from(questionPools)
    .where(permittedPoolCondition(actor, "question:read", poolId));
  if (!pool) throw notFound("Question pool");
  return pool;
}

/** 403 without the right, 400 for a course of another university. */
export async function createPool(db: ReadDb, actor: Actor, input: QuestionPoolCreate): Promise<QuestionPool> {
  const { university_id, course_id } = input;
  if (!course_id) ensurePermission(actor, "question:write", { university_id });
  const target = course_id
    ? sql`courses where ${ofCourse(course_id, university_id)} and ${coursePermissionCondition(actor, "question:write")}`
    : sql`(select) as one`;
  const values = sql`${university_id}::int, ${course_id ?? null}::int, ${input.title}, ${input.description ?? null}`;
  const added = db.$with("added", columns).as(sql`
    insert into question_pools (university_id, course_id, title, description) select ${values} from ${target}
    returning *`);
  const [pool] = await db.with(added).select().from(added);
  return pool ?? explainNoCourse(db, actor, course_id ?? 0, university_id);
}

const ofCourse = (courseId: number, universityId: number): SQL =>
  sql`(${eq(courses.id, courseId)} and ${eq(courses.university_id, universityId)})`;

async function explainNoCourse(
  db: ReadDb,
  actor: Actor,
  courseId: number,
  universityId: number,
): Promise<never> {
  const [course] = await db
    .select({ university_id: courses.university_id })
    .from(courses)
    .where(and(eq(courses.id, courseId), visibleCourseCondition(actor)));
  if (!course)
    throw badRequest("does_not_exist", fieldValueMessagePlaceholders("Question pool", "course_id", courseId));
  if (course.university_id === universityId) throw forbidden();
  throw badRequest(
    "does_not_exist_in_university",
    fieldValueMessagePlaceholders("Question pool", "course_id", courseId),
  );
}

/** Absent fields keep their values. 404, or 403 if the caller may only read the pool. */
export async function updatePool(
  db: Db,
  actor: Actor,
  poolId: number,
  change: QuestionPoolUpdate,
): Promise<QuestionPool> {
  const [pool] = await db
    .update(questionPools)
    .set(partialUpdateValues(change, questionPools))
    .where(permittedPoolCondition(actor, "question:write", poolId))
    .returning(columns);
  return pool ?? explainPoolRefusal(db, actor, poolId);
}

/** Deletes the questions too; 400 if a quiz draws from the pool or an attempt has. */
export async function deletePool(db: Db, actor: Actor, poolId: number): Promise<void> {
  const inUse = badRequest("question_pool_in_use");
  const deleted = await db
    .delete(questionPools)
    .where(
      and(permittedPoolCondition(actor, "question:write", poolId), sql`not exists (${quizzesOf(poolId)})`),
    )
    .returning({ id: questionPools.id })
    .catch((error: unknown) => {
      throw isStillReferencedError(error) ? inUse : error;
    });
  if (deleted.length > 0) return;
  const [pool] = await db
    .select({ is_writable: typedSql(z.boolean())`${poolPermissionCondition(actor, "question:write")}` })
    .from(questionPools)
    .where(permittedPoolCondition(actor, "question:read", poolId));
  if (!pool) throw notFound("Question pool");
  throw pool.is_writable ? inUse : forbidden();
}

/** Of the pool's university. */
const quizzesOf = (poolId: number): SQL => sql`
  select from content_items join content_types on content_types.id = content_type_id
  where content_items.university_id = ${questionPools.university_id} and content_types.name = 'quiz'
    and pool_of_quiz(data_json) = ${poolId}::int`;

/** Referencing rows prevented the deletion. */
export const isStillReferencedError = (error: unknown): boolean =>
  /^23(001|503)$/.test(constraintViolationIn(error)?.code ?? "");

/** 404 if the caller cannot read the pool, 403 if they may only read it. */
export async function ensurePoolWritable(db: Db, actor: Actor, poolId: number): Promise<void> {
  const [pool] = await db
    .select({ id: questionPools.id })
    .from(questionPools)
    .where(permittedPoolCondition(actor, "question:write", poolId));
  if (!pool) await explainPoolRefusal(db, actor, poolId);
}

/** 404 if the caller cannot read the pool, else 403. */
export async function explainPoolRefusal(db: Db, actor: Actor, poolId: number): Promise<never> {
  await getPool(db, actor, poolId);
  throw forbidden();
}
