import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { ModuleDefaults } from "../../../schema/api/courses/module-templates.ts";
import type { Module, ModuleCreate, ModuleUpdate } from "../../../schema/api/courses/modules.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { moduleTemplates } from "../../../schema/db/courses/module-templates.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { badRequest, fieldValueMessagePlaceholders, forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensurePermission } from "../../identity/rbac/policy.ts";
import type { Db } from "../../platform/db/client.ts";
import { versionedUpdateValues } from "../../platform/db/query/partial-update.ts";
import { rowsDecodedByColumns } from "../../platform/db/query/rows.ts";
import {
  type ExpectedVersions,
  ensureVersion,
  expectedVersionCondition,
} from "../../platform/db/query/versions.ts";
import { ListPage } from "../../platform/results/list-page.ts";
import { visibleCourseCondition } from "../course-permissions.ts";
import { ensureCourseVersion } from "../courses.ts";
import { findModule } from "./modules.ts";
import {
  appendPositionSql,
  lockCourseForOutlineChangeSql,
  positionUpdateAfterMove,
  translateOutlineRefusal,
} from "./outline-writes.ts";
import { missingTemplateError, parseTemplateDefaults, usableTemplateCondition } from "./templates.ts";

/**
 * With its template's defaults. 400 for an unknown course, parent or template, a taken position, or a tree
 * too deep.
 */
export async function createModule(db: Db, actor: Actor, input: ModuleCreate): Promise<Module> {
  const defaults = await defaultsFor(db, actor, input);
  const [module] = await translateOutlineRefusal(
    db
      .insert(modules)
      .values({ ...defaults, ...input, sequence_index: input.sequence_index ?? appendPositionSql })
      .returning(),
  );
  if (!module) throw notFound("Module");
  return module;
}

/** 400 for a course or template that the caller cannot see, 403 without the right. */
async function defaultsFor(
  db: Db,
  actor: Actor,
  { course_id, module_template_id = null }: ModuleCreate,
): Promise<ModuleDefaults> {
  const [course] = await db
    .select({
      course_id: courses.id,
      university_id: courses.university_id,
      department_id: courses.department_id,
      template_id: moduleTemplates.id,
      default_data: moduleTemplates.default_data,
    })
    .from(courses)
    .leftJoin(moduleTemplates, usableTemplateCondition(module_template_id))
    .where(and(eq(courses.id, course_id), visibleCourseCondition(actor)));
  if (!course)
    throw badRequest("does_not_exist", fieldValueMessagePlaceholders("Module", "course_id", course_id));
  ensurePermission(actor, "module:write", course);
  if (module_template_id !== null && course.template_id === null)
    throw missingTemplateError(module_template_id);
  return parseTemplateDefaults(course.default_data);
}

/**
 * Absent fields keep their values. A new parent moves the subtree, to the end unless a position is given. 400
 * below itself, into another course, for a taken position or an unknown template; 412 on a version conflict.
 */
export async function updateModule(
  db: Db,
  actor: Actor,
  moduleId: number,
  change: ModuleUpdate,
  expected: ExpectedVersions,
): Promise<Module> {
  const moved = positionUpdateAfterMove(
    modules.parent_module_id,
    change.parent_module_id,
    change.sequence_index,
  );
  const [module] = await translateOutlineRefusal(
    db
      .update(modules)
      .set(versionedUpdateValues({ ...change, ...moved }, modules))
      .where(
        and(
          writableModule(actor, moduleId),
          expectedVersionCondition(modules.version, expected),
          hasTemplate(change.module_template_id),
        ),
      )
      .returning(),
  );
  return module ?? explainChangeRefusal(db, actor, moduleId, change, expected);
}

/** Deletes everything below too. 400 if anyone has worked on it, 412 on a version conflict. */
export async function deleteModule(
  db: Db,
  actor: Actor,
  moduleId: number,
  expected: ExpectedVersions,
): Promise<void> {
  const deleted = await translateOutlineRefusal(
    db
      .delete(modules)
      .where(and(writableModule(actor, moduleId), expectedVersionCondition(modules.version, expected)))
      .returning({ id: modules.id }),
    "module_in_use",
  );
  if (deleted.length === 0) await explainChangeRefusal(db, actor, moduleId, {}, expected);
}

/**
 * Reorders siblings from 1; others follow in their old order. Returns all. 400 unless the ids are distinct
 * siblings, 412 if the course has another version, which covers the order.
 */
export async function reorderModules(
  db: Db,
  actor: Actor,
  moduleIds: readonly number[],
  expected: ExpectedVersions,
): Promise<ListPage<Module>> {
  const [first = 0] = moduleIds;
  const reordered = sql`reorder_modules(${courseOf(actor, first, expected)}, ${sql.param(moduleIds)}::int[])`;
  const siblings = await translateOutlineRefusal(
    rowsDecodedByColumns(
      db,
      getTableColumns(modules),
      sql`select * from ${reordered} order by sequence_index`,
    ),
  );
  const [sibling] = siblings;
  if (!sibling) {
    await ensureCourseVersion(db, actor, "module:write", courseIdOf(first), expected);
    return explainRefusal(
      db,
      actor,
      first,
      badRequest("does_not_exist", fieldValueMessagePlaceholders("Module", "module_ids", first)),
    );
  }
  return new ListPage(siblings, { at: siblingsOf(sibling) });
}

const siblingsOf = ({ parent_module_id, course_id }: Module): string =>
  parent_module_id === null
    ? `/modules/courses/${course_id}/modules/root`
    : `/modules/${parent_module_id}/children`;

const courseIdOf = (moduleId: number): SQL => sql`(select course_id from modules where id = ${moduleId})`;

const courseOf = (actor: Actor, moduleId: number, expected?: ExpectedVersions): SQL =>
  lockCourseForOutlineChangeSql(actor, "module:write", courseIdOf(moduleId), expected);

/** Locks the module's course. */
const writableModule = (actor: Actor, moduleId: number): SQL | undefined =>
  and(eq(modules.id, moduleId), eq(modules.course_id, courseOf(actor, moduleId)));

const hasTemplate = (templateId: number | null | undefined): SQL | undefined =>
  templateId
    ? sql`exists (select from courses join module_templates on ${usableTemplateCondition(templateId)}
        where courses.id = ${modules.course_id})`
    : undefined;

async function explainChangeRefusal(
  db: Db,
  actor: Actor,
  moduleId: number,
  { module_template_id }: ModuleUpdate,
  expected: ExpectedVersions,
): Promise<never> {
  if (module_template_id || expected) {
    const [writable] = await db.select().from(modules).where(writableModule(actor, moduleId));
    if (writable) ensureVersion(writable, expected);
    if (writable && module_template_id) throw missingTemplateError(module_template_id);
  }
  return explainRefusal(db, actor, moduleId);
}

/** `unseen` if the caller cannot see the module, else 403. */
async function explainRefusal(
  db: Db,
  actor: Actor,
  moduleId: number,
  unseen = notFound("Module"),
): Promise<never> {
  throw (await findModule(db, actor, moduleId)) ? forbidden() : unseen;
}
