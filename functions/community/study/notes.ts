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
    summary: "List one's own notes, or search in them",
    description: "Each note is searched in its language. Nobody reads another's notes, whatever their role.",
    ...signedIn,
    query: NoteQuery,
    ...ok(listOf(Note), "Newest first; of those searched for the best matches first"),
  },
  ({ deps, actor, query }) => notes.listNotes(deps.db, actor, query),
);

export const createNote = endpoint(
  {
    id: "createNote",
    method: "post",
    path: "/notes",
    summary: "Write a note on a content item",
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
    summary: "Get a note of one's own",
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
    summary: "Change a note of one's own",
    ...signedIn,
    params,
    body: NoteUpdate,
    ...ok(Note, "The changed note"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => notes.updateNote(deps.db, actor, params.note_id, body),
);

export const deleteNote = endpoint(
  {
    id: "deleteNote",
    method: "delete",
    path: "/notes/{note_id}",
    summary: "Delete a note of one's own",
    ...signedIn,
    params,
    ...noContent("It is gone"),
    fails: [404],
  },
  ({ deps, actor, params }) => notes.deleteNote(deps.db, actor, params.note_id),
);
