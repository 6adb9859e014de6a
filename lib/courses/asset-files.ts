import { type SQL, sql } from "drizzle-orm";
import { files } from "../../schema/db/files/files.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { permissionCondition } from "../identity/rbac/scopes.ts";
import { coursePermissionCondition, courseStaffCondition } from "./course-permissions.ts";

/** On `files`: the caller may read the keys of the item with the file. */
const keysReadable = (actor: Actor): SQL => sql`exists (
  select from file_uses
  join content_items on content_items.id = file_uses.content_item_id
  join courses on courses.id = content_items.course_id
  where file_uses.file_id = files.id and file_uses.is_for_staff and ${coursePermissionCondition(actor, "key:read")})`;

/**
 * On `files`: assets, for staff of their course or university. Files that an item hides from students need
 * the right to read its keys.
 */
export const openableAssetFileCondition = (actor: Actor): SQL => sql`(
  files.purpose = 'asset'
  and (${permissionCondition(actor, "asset:read", files.university_id)} or exists (
    select from courses where courses.id = files.course_id and ${courseStaffCondition(actor)}))
  and (${keysReadable(actor)} or not exists (
    select from file_uses where file_uses.file_id = files.id and file_uses.is_for_staff)))`;

/** On `files`: the caller may attach it in a university. */
export const attachableAssetFileCondition = (actor: Actor, university: SQL): SQL => sql`(
  files.purpose = 'asset' and files.state in ('checking', 'ready') and files.erased_at is null
  and files.university_id = ${university}
  and (files.uploaded_by_user_id = ${actor.id} or ${openableAssetFileCondition(actor)}))`;
