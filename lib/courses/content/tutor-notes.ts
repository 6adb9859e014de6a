import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { TutorNotes, type TutorNotesUpdate } from "../../../schema/api/tutor/tutor-notes.ts";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import type { ResourceName } from "../../error-codes.ts";
import { forbidden, notFound, PreconditionFailed } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { type ExpectedVersions, expectedVersionsSql } from "../../platform/db/query/versions.ts";
import { coursePermissionCondition, visibleCourseCondition } from "../course-permissions.ts";
import { visibleContentItemCondition } from "./visibility.ts";

export type NotesTarget = { content_item_id: number } | { course_id: number };

const StoredNotes = TutorNotes.extend({ updated_at: StoredInstant.nullable() });

const targetOf = (target: NotesTarget): SQL =>
  "course_id" in target
    ? sql`(select id as course_id, null::int as content_item_id from courses where id = ${target.course_id})`
    : sql`(select course_id, id as content_item_id from content_items where id = ${target.content_item_id})`;

const nameOf = (target: NotesTarget): ResourceName => ("course_id" in target ? "Course" : "Content item");

/**
 * For the course's staff. 404 if the caller cannot see the course, else 403. Version 0 if nothing was
 * written.
 */
export async function getTutorNotes(db: ReadDb, actor: Actor, target: NotesTarget): Promise<TutorNotes> {
  const [found] = await rowsOf(
    db,
    StoredNotes,
    sql`
    select target.course_id, target.content_item_id, coalesce(one.notes, '') as notes,
           coalesce(one.key_facts, '[]') as key_facts, coalesce(one.common_errors, '[]') as common_errors,
           coalesce(one.never_say, '[]') as never_say, one.updated_by, one.updated_at,
           coalesce(one.version, 0) as version
    from ${targetOf(target)} as target join courses on courses.id = target.course_id
    left join tutor_notes as one on one.course_id = target.course_id
      and coalesce(one.content_item_id, 0) = coalesce(target.content_item_id, 0)
    where ${coursePermissionCondition(actor, "tutor-notes:read")}`,
  );
  if (found) return asNotes(found);
  await refuseTo(db, actor, "tutor-notes:read", target);
  throw notFound(nameOf(target));
}

/**
 * Absent fields keep their values. Running conversations keep the old notes. 404 if the caller cannot see the
 * target, 403 if they may not write it, 412 on a version conflict.
 */
export async function setTutorNotes(
  db: Db,
  actor: Actor,
  target: NotesTarget,
  change: TutorNotesUpdate,
  expected: ExpectedVersions,
): Promise<TutorNotes> {
  const given = sql`${JSON.stringify(change)}::jsonb`;
  const versions = expectedVersionsSql(expected);
  const act = {
    action: "tutor_notes.changed",
    actor: actor.id,
    university: sql`university_id`,
    details: sql`jsonb_strip_nulls(jsonb_build_object('course_id', course_id, 'content_item_id', content_item_id))`,
  } as const;
  const [written] = await rowsOf(
    db,
    StoredNotes,
    sql`
    with reached as (
      select target.course_id, target.content_item_id, courses.university_id
      from ${targetOf(target)} as target join courses on courses.id = target.course_id
      where ${coursePermissionCondition(actor, "tutor-notes:write")}
    ), written as (
      insert into tutor_notes as one
        (course_id, content_item_id, notes, key_facts, common_errors, never_say, updated_by)
      select course_id, content_item_id, coalesce(given ->> 'notes', ''), coalesce(given -> 'key_facts', '[]'),
             coalesce(given -> 'common_errors', '[]'), coalesce(given -> 'never_say', '[]'), ${actor.id}
      from reached, (select ${given} as given) as said
      where ${versions} is null or 0 = any (${versions}) or exists (
        select from tutor_notes as former where former.course_id = reached.course_id
          and coalesce(former.content_item_id, 0) = coalesce(reached.content_item_id, 0))
      on conflict (course_id, coalesce(content_item_id, 0)) do update set
        notes = coalesce(${given} ->> 'notes', one.notes),
        key_facts = coalesce(${given} -> 'key_facts', one.key_facts),
        common_errors = coalesce(${given} -> 'common_errors', one.common_errors),
        never_say = coalesce(${given} -> 'never_say', one.never_say),
        updated_by = excluded.updated_by, updated_at = service_now(), version = one.version + 1
      where ${versions} is null or one.version = any (${versions})
      returning *
    ), audited as (${insertAuditEventsQuery(act, sql`(select written.*, reached.university_id from written, reached) as noted`)})
    select course_id, content_item_id, notes, key_facts, common_errors, never_say, updated_by, updated_at, version
    from written`,
  );
  if (written) return asNotes(written);
  await refuseTo(db, actor, "tutor-notes:write", target);
  throw new PreconditionFailed(await getTutorNotes(db, actor, target));
}

const Reach = z.object({ may: z.boolean() });

/** 404 if the target is hidden, else 403. */
async function refuseTo(
  db: ReadDb,
  actor: Actor,
  action: "tutor-notes:read" | "tutor-notes:write",
  target: NotesTarget,
): Promise<void> {
  const isSeen =
    "course_id" in target
      ? visibleCourseCondition(actor)
      : sql`exists (
          select from ${contentItems} join ${modules} on ${modules.id} = ${contentItems.module_id}
          where ${contentItems.id} = target.content_item_id and ${visibleContentItemCondition(actor)})`;
  const [found] = await rowsOf(
    db,
    Reach,
    sql`
    select ${coursePermissionCondition(actor, action)} as may
    from ${targetOf(target)} as target join courses on courses.id = target.course_id where ${isSeen}`,
  );
  if (!found) throw notFound(nameOf(target));
  if (!found.may) throw forbidden();
}

const asNotes = ({
  updated_at,
  ...notes
}: Omit<TutorNotes, "updated_at"> & { updated_at: string | null }) => ({
  ...notes,
  updated_at: updated_at && toInstant(updated_at),
});
