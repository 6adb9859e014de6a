import { and, eq, type SQL, sql } from "drizzle-orm";
import { contentItems } from "../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../schema/db/courses/content-types.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { modules } from "../../schema/db/courses/modules.ts";
import { courseOfferings } from "../../schema/db/courses/offerings.ts";
import type { ContentTypeName } from "../../schema/enums.ts";
import { visibleContentItemCondition } from "../courses/content/visibility.ts";
import { offeringPermissionCondition } from "../courses/course-permissions.ts";
import type { ResourceName } from "../error-codes.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { PolicyAction } from "../identity/rbac/policy.ts";
import type { ReadDb } from "../platform/db/client.ts";

/** Each offering of the course grades an item separately. */
export type OfferingItemPath = { offering_id: number; content_item_id: number };

/** `work` is a lab or an assignment. */
export type ItemKind = "quiz" | "work" | "package";

/** Content types that take a result (`content_types.takes_result`). */
export const itemKinds: Record<ItemKind, { types: readonly ContentTypeName[]; resource: ResourceName }> = {
  quiz: { types: ["quiz"], resource: "Quiz" },
  work: { types: ["engineering_lab", "assignment"], resource: "Assignment" },
  package: { types: ["scorm"], resource: "SCORM package" },
};

const isOf = (kind: ItemKind): SQL =>
  sql`${contentTypes.name} = any(${sql.param(itemKinds[kind].types)}::text[])`;

export const resourceNameOfItemKind = (kind: ItemKind): ResourceName => itemKinds[kind].resource;

/** One row (offering_id, item_id, university_id) if permitted. */
export const permittedItemQuery = (
  actor: Actor,
  action: PolicyAction,
  path: OfferingItemPath,
  kind: ItemKind,
): SQL => sql`
  select course_offerings.id as offering_id, content_items.id as item_id, courses.university_id
  from course_offerings
  join courses on courses.id = course_offerings.course_id
  join content_items on content_items.course_id = courses.id
  join content_types on content_types.id = content_items.content_type_id and ${isOf(kind)}
  where course_offerings.id = ${path.offering_id} and content_items.id = ${path.content_item_id}
    and ${offeringPermissionCondition(actor, action)}`;

/** 404 if the caller cannot see the item, else 403. */
export async function explainItemRefusal(
  db: ReadDb,
  actor: Actor,
  path: OfferingItemPath,
  kind: ItemKind,
): Promise<never> {
  const [item] = await db
    .select({ id: contentItems.id })
    .from(contentItems)
    .innerJoin(contentTypes, eq(contentTypes.id, contentItems.content_type_id))
    .innerJoin(modules, eq(modules.id, contentItems.module_id))
    .innerJoin(courses, eq(courses.id, contentItems.course_id))
    .innerJoin(courseOfferings, eq(courseOfferings.course_id, courses.id))
    .where(
      and(
        eq(contentItems.id, path.content_item_id),
        eq(courseOfferings.id, path.offering_id),
        isOf(kind),
        visibleContentItemCondition(actor),
      ),
    );
  throw item ? forbidden() : notFound(resourceNameOfItemKind(kind));
}
