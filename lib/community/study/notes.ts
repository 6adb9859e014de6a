import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  Note,
  type NoteCreate,
  type NoteQuery,
  type NoteUpdate,
} from "../../../schema/api/community/notes.ts";
import { notes } from "../../../schema/db/community/notes.ts";
import { visibleContentItemCondition } from "../../courses/content/visibility.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { itemInTokenReachCondition, tokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { createPageQuery, createSortKey, descending } from "../../platform/db/query/page.ts";
import { partialUpdateValues } from "../../platform/db/query/partial-update.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";

/* Every `where` includes the author, so other users get 404, whatever their role. */

const columns = {
  id: notes.id,
  content_item_id: notes.content_item_id,
  body: notes.body,
  anchor: notes.anchor,
  language_code: notes.language_code,
  created_at: notes.created_at,
  updated_at: notes.updated_at,
};

const own = (actor: Actor, noteId: number): SQL | undefined => and(eq(notes.id, noteId), ownNotes(actor));

const ownNotes = (actor: Actor): SQL | undefined =>
  and(eq(notes.user_id, actor.id), itemInTokenReachCondition(actor, notes.content_item_id));

/** Newest first; a search returns the best matches first. */
export async function listNotes(
  db: ReadDb,
  actor: Actor,
  { content_item_id, q, ...window }: NoteQuery,
): Promise<JsonListPage<Note>> {
  const searched = q
    ? sql`websearch_to_tsquery(text_search_configuration_of_language(${notes.language_code}), ${q})`
    : null;
  const filter = and(
    ownNotes(actor),
    content_item_id ? eq(notes.content_item_id, content_item_id) : undefined,
    searched ? sql`${notes.search} @@ ${searched}` : undefined,
  );
  const best = createSortKey(sql`ts_rank(${notes.search}, ${searched})::float8`, "double precision");
  const newest = [descending(notes.created_at), descending(notes.id)];
  const page = createPageQuery(window, searched ? [descending(best), ...newest] : newest);
  return queryJsonPage(db, page.rows(columns, sql`${notes}`, filter));
}

export async function getNote(db: ReadDb, actor: Actor, noteId: number): Promise<Note> {
  const [note] = await db.select(columns).from(notes).where(own(actor, noteId));
  if (!note) throw notFound("Note");
  return note;
}

/** 404 unless the caller sees the content item. Default language: the course's. */
export async function createNote(
  db: Db,
  actor: Actor,
  { content_item_id, body, anchor = null, language_code }: NoteCreate,
): Promise<Note> {
  const [note] = await rowsOf(
    db,
    Note,
    sql`
      with written as (
        insert into notes (user_id, content_item_id, body, anchor, language_code)
        select ${actor.id}, content_items.id, ${body}, ${anchor && JSON.stringify(anchor)}::jsonb,
               coalesce(${language_code ?? null}, courses.language_code)
        from content_items
        join modules on modules.id = content_items.module_id
        join courses on courses.id = content_items.course_id
        where content_items.id = ${content_item_id}
          and ${and(visibleContentItemCondition(actor), tokenReachCondition(actor, sql`courses.university_id`, { course: sql`courses.id` }))}
        returning *
      )
      select ${wireColumnsSql(columns)} from written as notes`,
  );
  if (!note) throw notFound("Content item");
  return note;
}

export async function updateNote(db: Db, actor: Actor, noteId: number, change: NoteUpdate): Promise<Note> {
  const [note] = await db
    .update(notes)
    .set(partialUpdateValues(change, notes))
    .where(own(actor, noteId))
    .returning(columns);
  if (!note) throw notFound("Note");
  return note;
}

export async function deleteNote(db: Db, actor: Actor, noteId: number): Promise<void> {
  const deleted = await db.delete(notes).where(own(actor, noteId)).returning({ id: notes.id });
  if (deleted.length === 0) throw notFound("Note");
}
