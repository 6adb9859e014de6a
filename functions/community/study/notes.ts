import * as notes from "../../../lib/community/study/notes.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { Note, NoteCreate, NoteQuery, NoteUpdate } from "../../../schema/api/community/notes.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("note_id");

export const listNotes = endpoint(
  {
    id: "listNotes",
    method: "get",
    path: "/notes",
    summary: "List or search the caller's notes",
    description:
      "Searches each note in its language. Only the author of a note can read it; no role grants access.",
    ...signedIn,
    query: NoteQuery,
    ...ok(listOf(Note), "Notes, newest first; search results by relevance"),
  },
  ({ deps, actor, query }) => notes.listNotes(deps.db, actor, query),
);

export const createNote = endpoint(
  {
    id: "createNote",
    method: "post",
    path: "/notes",
    summary: "Create a note on an item",
    ...signedIn,
    body: NoteCreate,
    ...created(Note, "The new note"),
    fails: [404],
  },
  ({ deps, actor, body }) => notes.createNote(deps.db, actor, body),
);

export const getNote = endpoint(
  {
    id: "getNote",
    method: "get",
    path: "/notes/{note_id}",
    summary: "Read a note",
    ...signedIn,
    params,
    ...ok(Note, "The note"),
    fails: [404],
  },
  ({ deps, actor, params }) => notes.getNote(deps.db, actor, params.note_id),
);

export const updateNote = endpoint(
  {
    id: "updateNote",
    method: "put",
    path: "/notes/{note_id}",
    summary: "Update a note",
    ...signedIn,
    params,
    body: NoteUpdate,
    ...ok(Note, "The updated note"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => notes.updateNote(deps.db, actor, params.note_id, body),
);

export const deleteNote = endpoint(
  {
    id: "deleteNote",
    method: "delete",
    path: "/notes/{note_id}",
    summary: "Delete a note",
    ...signedIn,
    params,
    ...noContent("Deleted"),
    fails: [404],
  },
  ({ deps, actor, params }) => notes.deleteNote(deps.db, actor, params.note_id),
);
